"""The parts of decode_cache: where tokens come from, the run, its frames and words."""
