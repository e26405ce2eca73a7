"""What is wrong with a program as text, and where. Knows no operation."""


class ProgramFault(ValueError):
    """A program that is not run to its end: `offset` counts characters of the learner's own text from 0."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class UnreadableProgram(ProgramFault):
    """The text is not in the language; known before anything is run."""


class RefusedProgram(ProgramFault):
    """The text is in the language, but what it makes is too large or is no tensor; known while it is run."""


class TooMuch(RefusedProgram):
    """What it makes is too large, or takes too long: nothing is known of whether it is right.

    `numbers`: of the one tensor that is too large, 0 where it is the program as a whole."""

    def __init__(self, message: str, offset: int = 0, *, numbers: int = 0) -> None:
        super().__init__(message, offset)
        self.numbers = numbers
