"""One file = one answer type."""
