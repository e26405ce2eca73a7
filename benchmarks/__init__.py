"""How fast it is on this machine, held to goals: `python -m benchmarks floor engine payload latency`.

One run makes a ratio: the floor, ours and its peers alternate in every round, their order rotated, and a
ratio is the median of rounds with its interval. Times are CPU times, which neighbours disturb less than
wall time; what is compared computes the same numbers, or is not timed."""
