"""The parts of kv_budget that run: a cache allocated, a model measured, and their words."""
