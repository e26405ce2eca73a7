"""The parts of roofline: the clock, the machine's floors, the runs and words."""
