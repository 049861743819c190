// GatewayCrypto
