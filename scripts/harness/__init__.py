"""What the demo and the benchmark share: child processes, a small HTTP client, a gateway and a sandbox to start."""
