"""The parts of head_atlas: heads, what is measured of them, tables and words."""
