"""How fast it is on this machine: `python -m benchmarks latency`."""
