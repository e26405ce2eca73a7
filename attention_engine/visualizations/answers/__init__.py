"""The parts of answer_executed: shapes, lines and programs run, and what they say."""
