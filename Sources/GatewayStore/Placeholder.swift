// GatewayStore
