"""How cards are scheduled: a learner's present rules, and those of a line of the ledger. Knows no memory.

A line keeps its day's retention and names its version of the parameters; versions are rows that never
change, and version 0 is built in. So the rules of a line are the same whenever it is folded.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from cards.models import Card
from studyhub.study.models import DeckRules, Learner, Parameters
from studyhub.study.scheduling import Rules

_COLUMNS = (
    "version",
    "numbers",
    "learning_steps",
    "relearning_steps",
    "maximum_interval",
    "leech_after",
    "leech_suspends",
)


class UnknownVersion(KeyError):
    """A line or a learner names a version of the parameters that is not there."""


class Dated(Protocol):
    """A line of the ledger, as far as its rules go."""

    @property
    def desired_retention(self) -> float:
        """What recall the intervals aimed at."""
        ...

    @property
    def parameters_version(self) -> int:
        """Which version scheduled it."""
        ...


class Versions(Mapping[int, Rules]):
    """The versions of one learner's parameters: number -> rules with the retention still to be filled in.

    Version 0 costs no query; the first other one that is asked for reads them all, once for this object.
    """

    def __init__(self, learner_id: int = 0) -> None:
        self._learner_id = learner_id
        self._rows: dict[int, Rules] = {0: Rules()}
        self._whole: dict[tuple[int, float], Rules] = {}
        self._read = not learner_id

    def __getitem__(self, version: int) -> Rules:
        """The rules of a version. Raises UnknownVersion."""
        if version not in self._rows:
            self._read_all()
        if version not in self._rows:
            raise UnknownVersion(f"learner {self._learner_id} has no parameters of version {version}")
        return self._rows[version]

    def __iter__(self) -> Iterator[int]:
        """All numbers of versions."""
        self._read_all()
        return iter(self._rows)

    def __len__(self) -> int:
        """How many there are, the built-in one among them."""
        self._read_all()
        return len(self._rows)

    def at(self, version: int, desired_retention: float) -> Rules:
        """The rules of a version at a retention. Raises UnknownVersion."""
        key = version, desired_retention
        if key not in self._whole:
            self._whole[key] = replace(self[version], desired_retention=desired_retention)
        return self._whole[key]

    def _read_all(self) -> None:
        if self._read:
            return
        self._read = True
        for row in Parameters.objects.filter(learner_id=self._learner_id).values(*_COLUMNS):
            self._rows[row["version"]] = Rules(
                parameters=tuple(map(float, row["numbers"])),
                learning_steps=tuple(row["learning_steps"]),
                relearning_steps=tuple(row["relearning_steps"]),
                maximum_interval=row["maximum_interval"],
                leech_after=row["leech_after"],
                leech_suspends=row["leech_suspends"],
            )


BUILT_IN = Versions()
"""Version 0 alone."""


def versions_of(learner: Learner) -> Versions:
    """The learner's versions, read when one of them is asked for."""
    return Versions(learner.pk)


def rules_of(
    learner: Learner,
    card: Card | None = None,
    *,
    retentions: Mapping[int, float] | None = None,
    versions: Versions | None = None,
) -> Rules:
    """How an answer given now is scheduled: by the current version, at the retention of the card's deck.

    For many cards give `retentions` and `versions`, so that they are read once.
    """
    known = versions if versions is not None else versions_of(learner)
    retention = retention_of(learner, card, retentions=retentions)
    return known.at(learner.parameters_version, retention)


def rules_of_line(line: Dated, versions: Versions) -> Rules:
    """How a line was scheduled. Raises UnknownVersion."""
    return versions.at(line.parameters_version, line.desired_retention)


def retention_of(
    learner: Learner, card: Card | None, *, retentions: Mapping[int, float] | None = None
) -> float:
    """The recall a card's intervals aim at: its deck's, else the learner's own. One query at most."""
    if card is None or retentions == {}:
        return learner.desired_retention
    if retentions is not None:
        return retentions.get(card.topic.deck_id, learner.desired_retention)
    own = DeckRules.objects.filter(learner=learner, deck__topics=card.topic_id)
    found = own.values_list("desired_retention", flat=True).first()
    return learner.desired_retention if found is None else found


def retentions_of(learner: Learner) -> dict[int, float]:
    """{pk of a deck: retention} where a deck is scheduled otherwise than the rest."""
    return dict(DeckRules.objects.filter(learner=learner).values_list("deck", "desired_retention"))
