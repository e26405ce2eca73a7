"""Programs of tensor operations as learners write them: read, white-listed. Runs nothing, knows no torch."""

from attention_engine.program.faults import ProgramFault, RefusedProgram, TooMuch, UnreadableProgram
from attention_engine.program.reader import Statement
from attention_engine.program.syntax import Program, read

__all__ = ["Program", "ProgramFault", "RefusedProgram", "Statement", "TooMuch", "UnreadableProgram", "read"]
