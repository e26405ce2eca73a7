"""Grading for authors and tools, and the reading of what is being typed. Stores nothing."""

from dataclasses import replace
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from cards.answering import grade_json, reading
from cards.grading import Grade, Unreadable
from cards.inline import BrokenSpecification, Specification, grade_inline, judge_inline
from studyhub.api.problems.domain import unreadable
from studyhub.api.problems.problem import Problem, as_problem, invalid
from studyhub.api.reading.bodies import InlineGradeBody, ReadingBody
from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, operation, sent
from studyhub.api.schema.shapes import GradeShape, ReadingShape
from studyhub.delivery.judging import LONGEST_WAIT, ask
from studyhub.study.asked import asked_version


class Grades(APIView):
    """POST a question written out, and an answer to it."""

    throttle_scope = "grade"

    @operation(
        "post_grade",
        {200: GradeShape, 202: GradeShape},
        body=InlineGradeBody,
        problems=[429],
        examples=[
            sent("A number", examples.INLINE_SENT),
            answered("Wrong, by name", examples.INLINE_GRADE),
            answered("A program that is still to be run", examples.INLINE_PENDING, 202),
        ],
    )
    def post(self, request: Request) -> Response:
        """Grades an answer against a specification as it stands in a card's front matter. Nothing is stored.

        A specification that does not work out is 422 invalid-request naming the field. A program is run by a
        worker, for which up to 2 s are waited; after that it is 202, and the same request again, once
        Retry-After is over, finds the verdict.
        """
        body = valid_body(InlineGradeBody, request)
        asked = Specification(
            answer_type=body["answer_type"],
            answer=body["answer"],
            mistakes=body["mistakes"],
            parameters=body["parameters"],
            seed=body["seed"],
        )
        response = dict(body["response"])
        grade = grade_inline(asked, response)
        if grade.pending == "worker":
            return _run(asked, response, grade, owner=str(request.user.pk))
        return Response(_json(grade))


def _run(asked: Specification, response: dict[str, Any], waiting: Grade, *, owner: str) -> Response:
    """A program's grade by a worker's verdict; 202 while there is none."""
    told = ask(waiting.asks, owner, wait=LONGEST_WAIT)
    if told.verdict is None:
        headers = {"Retry-After": str(told.retry_after)}
        return Response(_json(replace(waiting, title=told.reason)), status=202, headers=headers)
    return Response(_json(judge_inline(asked, response, told.verdict)))


def _json(grade: Grade) -> dict[str, Any]:
    """GRADE, its feedback rendered; a `says` too long to be rendered is the specification's fault."""
    try:
        return grade_json(grade)
    except ValueError as error:
        raise BrokenSpecification("mistakes", str(error)) from error


class Readings(APIView):
    """POST what stands in an answer field, while it is typed."""

    throttle_scope = "readings"

    @operation(
        "post_reading",
        {200: ReadingShape},
        body=ReadingBody,
        problems=[429],
        examples=[sent("A number", examples.READING_SENT), answered("As it is read", examples.READING)],
    )
    def post(self, request: Request) -> Response:
        """How a text would be read in a field of a card, in words and as MathML; never whether it is right.

        One that cannot be read is 422 unreadable-answer with the place in it. Nothing is stored.
        """
        body, learner = valid_body(ReadingBody, request), current_learner(request)
        version = asked_version(learner, body["card"], number=body["card_version"])
        try:
            found = reading(version, body["variant_seed"], body["field"], body["text"])
        except Unreadable as error:
            raise _unread(error) from error
        return Response({"read_as": found.read_as, "read_as_mathml": found.read_as_mathml})


def _unread(error: Unreadable) -> Problem:
    """The refusal, blaming the member of this body: the text, or a field that takes none."""
    if error.field == "field":
        return invalid("field", error.message)
    return unreadable(error, field="text")


@as_problem.register
def _(error: BrokenSpecification) -> Problem:
    return invalid(error.field, str(error))
