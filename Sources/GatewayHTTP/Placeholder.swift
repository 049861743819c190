// GatewayHTTP
