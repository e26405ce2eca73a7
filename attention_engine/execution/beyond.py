"""A program that makes a tensor beyond any limit: wrong where it does so at every size. Knows no grade."""

from attention_engine.execution.given import SHAPES_ONLY, given
from attention_engine.execution.limits import TINY
from attention_engine.execution.run import run
from attention_engine.execution.trial import ERROR, SHAPE, VALUES, Question, held_trial
from attention_engine.program import RefusedProgram, TooMuch
from attention_engine.program.plan import PRIMES, SUBSTITUTED, Plan, literals, plan

MANY_TIMES = 16
"""A written number so many times above every size of the layer is none of them."""


def refusal(question: Question, much: TooMuch) -> RefusedProgram:
    """What to raise for a program that is too large at the card's own sizes: TooMuch, where it may yet be
    right (a product that is summed at once), RefusedProgram where it is not."""
    if much.numbers and question.reference is not None and _is_wrong(question):
        return RefusedProgram(much.message, much.offset)
    return much


def _is_wrong(question: Question) -> bool:
    where = plan(question.programs, question.sizes, question.layout)
    if where.mode not in {PRIMES, SUBSTITUTED}:
        largest = MANY_TIMES * max(question.sizes.products.values())
        return any(one.value > largest for one in literals(question.program))
    if _large_when_small(question, where):
        return True
    first = tuple(several[0] for several in where.literals)
    trial = held_trial(question, where.sizes[0], number=0, literals=first, again=False)
    return trial.outcome in {VALUES, SHAPE, ERROR}


def _large_when_small(question: Question, where: Plan) -> bool:
    """Whether a tensor is beyond the limit where the whole layer has a thousand numbers."""
    values = given(question.names, where.sizes[0], layout=question.layout, space=SHAPES_ONLY)
    stands = where.literals[0][0] if where.literals else {}
    try:
        run(question.program, values, space=SHAPES_ONLY, limits=TINY, literals=stands)
    except TooMuch as much:
        return much.numbers > 0
    except RefusedProgram:
        return False
    return False
