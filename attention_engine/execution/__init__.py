"""Runs a learner's program by walking its white-listed tree. Compiles nothing; knows no grade, no page."""
