"""What the four buttons give, and the draw that makes it so: the draw goes out with them and comes back.

So what a button shows is what it gives, whatever else was rated meanwhile. Reads only; knows no page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cards.models import Card
from studyhub.study.asking.spreading import Coming, Window, coming
from studyhub.study.models import Learner, Memory
from studyhub.study.rating import NAMES
from studyhub.study.replay import memory_value
from studyhub.study.rules import retentions_of, rules_of, versions_of
from studyhub.study.scheduling import MemoryState, Moment, Rules, interval_seconds, preview
from studyhub.study.scheduling.fuzz import draw_of
from studyhub.study.scheduling.spread import Spread, spread_draw
from studyhub.study.zones import present

Asked = tuple[Card, Memory | MemoryState | None]
"""A card and what its learner knows of it; None = never answered."""


@dataclass(frozen=True)
class Offer:
    """The draw (0 <= draw < 1) of an answer, and button name -> seconds with it; a day counts 86,400."""

    draw: float
    intervals: Mapping[str, int]


def offers(learner: Learner, asked: Sequence[Asked], now: datetime) -> list[Offer]:
    """An offer for each card, in the same order. Five reads at most, however many cards.

    For a learner with rules of decks the topics are needed: select them with the cards.
    """
    if not asked:
        return []
    moment, versions, retentions = present(learner, now), versions_of(learner), retentions_of(learner)
    days = coming(learner, [card for card, _ in asked], moment)
    window = Window(moment)
    made = []
    for card, memory in asked:
        rules = rules_of(learner, card if retentions else None, retentions=retentions, versions=versions)
        state = memory if isinstance(memory, MemoryState) else memory_value(memory)
        around = _around(days, card, state, window)
        made.append(_offer(state, card, moment=moment, rules=rules, spread=around))
    return made


def offer(learner: Learner, card: Card, memory: Memory | MemoryState | None, now: datetime) -> Offer:
    """The offer for one card."""
    return offers(learner, [(card, memory)], now)[0]


def offer_of(learner: Learner, card: Card, now: datetime) -> Offer:
    """The same for a card whose memory is not at hand."""
    return offer(learner, card, Memory.objects.filter(learner=learner, card=card).first(), now)


def intervals(
    memory: Memory | MemoryState | None, learner: Learner, card: Card, now: datetime
) -> dict[str, int]:
    """What the four buttons give with a draw of now: {"again": seconds, "hard", "good", "easy"}."""
    return dict(offer(learner, card, memory, now).intervals)


def intervals_of(learner: Learner, card: Card, now: datetime) -> dict[str, int]:
    """The same for a card whose memory is not at hand."""
    return dict(offer_of(learner, card, now).intervals)


def _around(days: Coming, card: Card, memory: MemoryState, window: Window) -> Spread | None:
    """What the draw has to mind; None where nothing is spread."""
    if not (days.loads or days.topics or days.families or days.easy_days):
        return None
    own = window.ahead(memory.due) if memory.due and window.holds(memory.due) else None
    return days.around(card, own)


def _offer(memory: MemoryState, card: Card, *, moment: Moment, rules: Rules, spread: Spread | None) -> Offer:
    uuid = str(card.uuid)
    if spread is None:
        draw = draw_of(uuid, memory.reps)
    else:
        draw = spread_draw(memory, moment=moment, rules=rules, card=uuid, spread=spread)
    shown = preview(memory, moment=moment, rules=rules, card=uuid, draw=draw)
    seconds = {NAMES[rating]: interval_seconds(state, moment.at) for rating, state in shown.items()}
    return Offer(draw, seconds)
