"""One file = one picture = a generator of frames."""
