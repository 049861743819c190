// GatewayServer
