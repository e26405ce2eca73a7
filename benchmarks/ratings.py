"""Whether a schedule fed with suggested ratings foresees recall as well as one fed with learners' buttons.

Simulated, seeded, and no more than its assumptions. Each card of each learner has a true memory (FSRS-6) that
moves by how recall really went. A recall has an ease: more where the memory is fresh, with chance in it. Ease
makes a recall hard, good or easy, shortens its time, and where it is low a hint is taken. A quarter of the
cards are choices of four, guessed right at chance; one answer in fifty is slipped in typing. What is compared
is the log loss of the chance of recall that FSRS-6 gives before each answer, by ratings of either kind.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp, log

from cards.grading import Grade
from studyhub.study.rating import AGAIN, EASY, GOOD, HARD, Circumstances, suggest
from studyhub.study.scheduling.traces import DEFAULT_PARAMETERS, Elapsed, Trace, model_of

HABITS = {"honest": 0.6, "two buttons": 0.2, "hard for a miss": 0.2}
"""How learners press: by ease, with a neighbouring button now and then; Again and Good alone; Hard where they
failed, the habit that the authors of FSRS warn of (fsrs4anki, PR 559). The shares are an assumption."""
OTHER_BUTTON = 0.15
HINDSIGHT = 0.10
"""The share of misses taken for passes once the answer is seen; an assumption, so others are shown too."""
TRIED = (0.0, 0.05, HINDSIGHT, 0.2)
GUESS, SLIP = 0.25, 0.02
HARD_BELOW, EASY_ABOVE = 1.0, 3.6  # of ease
LEARNERS, CARDS, REVIEWS = 60, 40, 8
MODEL = model_of(DEFAULT_PARAMETERS)


@dataclass(frozen=True)
class Answer:
    """One answer: how it really went and what was seen of it."""

    recalled: bool
    true_rating: int
    right: bool
    hint: bool
    elapsed_ms: int
    kind: str


@dataclass
class Losses:
    """Sums of log losses and the answers counted, for suggested and own ratings."""

    suggested: float = 0.0
    own: float = 0.0
    answers: int = 0
    agreed: int = 0

    @property
    def means(self) -> tuple[float, float]:
        """(suggested, own) per answer."""
        return self.suggested / self.answers, self.own / self.answers


@dataclass
class _Learner:
    """A learner's pace and habit, and the times of right answers by kind."""

    habit: str
    pace: float
    hindsight: float
    other_button: float
    times: dict[str, list[int]] = field(default_factory=dict)


def main() -> int:
    """Prints the comparison; 1 where suggested ratings foresee worse than learners' own."""
    found = compare(seed=0)
    print(f"{LEARNERS} learners, {CARDS} cards each, {REVIEWS} answers a card; log loss of foreseen recall")
    print(f"{'habit':<18} {'answers':>8} {'suggested':>10} {'own':>8} {'same button':>12}")
    for name, losses in found.items():
        suggested, own = losses.means
        same = losses.agreed / losses.answers
        print(f"{name:<18} {losses.answers:>8,} {suggested:>10.4f} {own:>8.4f} {same:>11.0%}")
    for share in TRIED:
        suggested, own = compare(seed=0, hindsight=share)["all"].means
        print(f"{share:.0%} of misses pressed as passes: suggested {suggested:.4f}, own {own:.4f}")
    suggested, own = found["all"].means
    print("PASS" if suggested <= own else "FAIL", f"suggested {suggested:.4f} <= own {own:.4f}")
    return int(suggested > own)


def compare(
    *, seed: int, learners: int = LEARNERS, hindsight: float = HINDSIGHT, other_button: float = OTHER_BUTTON
) -> dict[str, Losses]:
    """The losses by habit, and of all learners."""
    found = {name: Losses() for name in (*HABITS, "all")}
    for number in range(learners):
        chance = random.Random(f"{seed}:{number}")
        habit = chance.choices(list(HABITS), weights=list(HABITS.values()))[0]
        learner = _Learner(habit, chance.gauss(2.2, 0.3), hindsight, other_button)
        for card in range(CARDS):
            kind = "choice" if card % 4 == 0 else "numeric"
            _study(learner, kind, chance, [found[habit], found["all"]])
    return found


def _add(losses: Losses, rows: list[tuple[float, float, bool]]) -> None:
    for suggested, own, same in rows:
        losses.suggested, losses.own = losses.suggested + suggested, losses.own + own
        losses.answers, losses.agreed = losses.answers + 1, losses.agreed + same


def _study(learner: _Learner, kind: str, chance: random.Random, told: list[Losses]) -> None:
    """All answers to one card; the first only makes the memory."""
    true = by_suggestion = by_own = None
    for elapsed, answer in _answers(learner, kind, chance):
        suggested, own = _suggested(learner, answer), _pressed(learner, answer, chance)
        if true is not None and by_suggestion is not None and by_own is not None:
            pair = [_loss(trace, elapsed, answer.recalled) for trace in (by_suggestion, by_own)]
            for losses in told:
                _add(losses, [(pair[0], pair[1], suggested == own)])
        true = _after(true, answer.true_rating, elapsed)
        by_suggestion, by_own = _after(by_suggestion, suggested, elapsed), _after(by_own, own, elapsed)
        if answer.right and not answer.hint:
            learner.times.setdefault(kind, []).append(answer.elapsed_ms)


def _answers(learner: _Learner, kind: str, chance: random.Random) -> Iterator[tuple[int, Answer]]:
    """(days since the last one, answer): asked after half to twice the true stability."""
    memory: Trace | None = None
    for _ in range(REVIEWS):
        elapsed = max(1, round(memory.stability * chance.uniform(0.5, 2))) if memory else 0
        recall = MODEL.recall(memory, _after_days(elapsed)) if memory else 0.6
        answer = _answer(learner, kind, recall, chance)
        yield elapsed, answer
        memory = _after(memory, answer.true_rating, elapsed)


def _answer(learner: _Learner, kind: str, recall: float, chance: random.Random) -> Answer:
    recalled = chance.random() < recall
    ease = log(recall / (1 - recall)) + chance.gauss(0, 1) if recall < 1 else EASY_ABOVE
    rating = AGAIN if not recalled else HARD if ease < HARD_BELOW else EASY if ease > EASY_ABOVE else GOOD
    guessed = kind == "choice" and chance.random() < GUESS
    right = (recalled and chance.random() > SLIP) or (not recalled and guessed)
    seconds = exp(learner.pace - 0.3 * ease + chance.gauss(0, 0.35))
    hint = rating == HARD and chance.random() < 0.6
    return Answer(recalled, rating, right, hint, round(seconds * 1000), kind)


def _suggested(learner: _Learner, answer: Answer) -> int:
    """The rating that the study room suggests."""
    how = Circumstances(
        answer_type=answer.kind,
        assisted=answer.hint,
        elapsed_ms=answer.elapsed_ms,
        times_ms=learner.times.get(answer.kind, ())[-200:],
    )
    grade = Grade("correct", 1.0) if answer.right else Grade("incorrect", 0.0)
    return suggest(grade, how).rating


def _pressed(learner: _Learner, answer: Answer, chance: random.Random) -> int:
    """The button that a learner presses, without a grade to go by."""
    missed = not answer.recalled and chance.random() > learner.hindsight
    if missed:
        return HARD if learner.habit == "hard for a miss" else AGAIN
    if learner.habit == "two buttons":
        return GOOD
    honest = max(answer.true_rating, HARD)
    if chance.random() < learner.other_button:
        return min(max(honest + chance.choice((-1, 1)), HARD), EASY)
    return honest


def _after(trace: Trace | None, rating: int, elapsed: int) -> Trace:
    return MODEL.after(trace, rating, _after_days(elapsed)) if trace else MODEL.first(rating)


def _after_days(count: int) -> Elapsed:
    return Elapsed(count, count * 86_400.0)


def _loss(trace: Trace, elapsed: int, recalled: bool) -> float:
    chance = min(max(MODEL.recall(trace, _after_days(elapsed)), 1e-6), 1 - 1e-6)
    return -log(chance if recalled else 1 - chance)
