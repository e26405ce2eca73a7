"""How much there is to fit a learner from, without fitting anything: for pages."""

from studyhub.study.fitting.case import Case
from studyhub.study.history import answers_of, training_answers
from studyhub.study.models import Learner


def terms_of(learner: Learner) -> int:
    """How many answers a fit would be judged by: a study day or more after the card's one before."""
    return len(Case(training_answers(answers_of(learner)).histories).terms)
