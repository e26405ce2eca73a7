"""answer_executed in words: what is run."""

from studyhub.web.plain.saying import Facts, Plain, listed

QUESTION = "What does torch say to this answer?"
EDITS = "num_heads"


def title(facts: Facts, _role: str) -> str:
    """A program, or so many heads."""
    if facts.get("asks") == "program":
        return "Running a program"
    return f"Running {facts['num_heads']} heads" if facts.get("num_heads") else "Running the answer"


def plain(facts: Facts) -> Plain:
    """Its numbers in one sentence."""
    return listed(facts)
