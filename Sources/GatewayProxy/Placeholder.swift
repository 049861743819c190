// GatewayProxy
