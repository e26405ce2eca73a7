"""Said aloud, then shown: the learner rates against the points of a rubric. Grades nothing itself.

answer: {type: reveal, rubric: ["a point to have named", ...]}
"""

from typing import Any

from cards.grading import Example, Grade, Question, Response, Unreadable
from cards.keys import KeyProblem

OFFLINE = False
FIELDS = ("type", "rubric")


def grade(question: Question, response: Response) -> Grade:
    """Undecided, with the points to compare with; Unreadable until the learner asks to see them."""
    if not response.revealed:
        raise Unreadable("Say it aloud, then show the points.", field="revealed")
    points = rubric(question)
    return Grade(
        outcome="undecided",
        score=0.0,
        title=f"compare with {len(points)} points",
        feedback="Tick each point you named, then rate.",
        key_text="\n".join(points),
        facts={"rubric": points},
    )


def rubric(question: Question) -> list[str]:
    """The points. Raises KeyProblem if there are none."""
    points = question.answer.get("rubric")
    if (
        not isinstance(points, list | tuple)
        or not points
        or not all(isinstance(p, str) and p for p in points)
    ):
        raise KeyProblem("a reveal answer needs a rubric: a list of points in words")
    return list(points)


def question_input(_question: Question) -> dict[str, Any]:
    """Only the invitation: the points would be the key."""
    return {"hint": "Say it aloud, then show"}


def examples(_question: Question) -> list[Example]:
    """None: nothing is graded by machine."""
    return []


def problems(question: Question) -> list[str]:
    """A rubric that is none, or mistakes that nothing could find."""
    rubric(question)
    return ["a reveal answer finds no mistakes: name them in the rubric"] if question.mistakes else []
