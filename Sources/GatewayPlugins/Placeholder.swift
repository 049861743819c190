// GatewayPlugins
