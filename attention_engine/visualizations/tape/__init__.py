"""The parts of memory_tape: the answer run and its table."""
