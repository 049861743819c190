// GatewayIdentity
