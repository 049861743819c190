print("speed-gateway")
