// GatewayOutbound
