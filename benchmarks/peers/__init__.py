"""Others' code that ours is held to, one module each. A peer that is not installed is None."""
