"""Puts a version of the parameters in force, and takes that back. Knows no fit and no request.

What is known of each card is folded anew at once; due days stay as they are. Rescheduling is asked for apart:
a line for each card that moves, by which an undo finds them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import QuerySet

from cards.models import Card
from studyhub.study.attempting import locked
from studyhub.study.batch_replay import rebuild
from studyhub.study.desk import Desk
from studyhub.study.dues import DueDifference, difference, moves, staged
from studyhub.study.lines import plain_line
from studyhub.study.models import Learner, Parameters, Review
from studyhub.study.putting import put_event
from studyhub.study.rules import versions_of
from studyhub.study.schedules import next_version, rule_values
from studyhub.study.submissions import Said, digest_of
from studyhub.study.zones import study_day_of

__all__ = [
    "Adoption",
    "CannotAdopt",
    "DueDifference",
    "adopt",
    "difference",
    "moved_by_current",
    "undo_adoption",
]

MOST_PER_DAY = 9_999


class CannotAdopt(ValueError):
    """The learner has no such version, or nothing to go back to."""


@dataclass(frozen=True)
class Adoption:
    """The version now in force, and how many cards were moved to another day."""

    version: int
    moved: int


def adopt(
    learner: Learner,
    version: int,
    *,
    now: datetime,
    client_id: UUID,
    reschedule: bool = False,
    per_day: int = 0,
) -> Adoption:
    """Puts `version` (0: the built-in one) in force; with `reschedule`, moves due days as `difference` says.

    `per_day` > 0 puts no more cards than that on a day. A fit made under other steps or limits than are in
    force keeps these: it comes as a version of its own. The same again changes nothing. Raises CannotAdopt.
    """
    if not 0 <= per_day <= MOST_PER_DAY:
        raise CannotAdopt(f"{per_day} cards a day is none of 1 to {MOST_PER_DAY:,}, nor 0 for no limit")
    with transaction.atomic():
        owner = locked(learner)
        if version != owner.parameters_version:
            _put_in_force(owner, _with_present_rules(owner, version, now))
        moved = _reschedule(owner, now, client_id, per_day) if reschedule else 0
    learner.parameters_version = owner.parameters_version
    return Adoption(owner.parameters_version, moved)


def undo_adoption(learner: Learner, version: int, *, now: datetime, client_id: UUID) -> Adoption:
    """Takes `version` out of force for the one it was made from; days that it moved come back.

    Where another version is in force by now nothing changes. Raises CannotAdopt for one that is not there.
    """
    with transaction.atomic():
        owner = locked(learner)
        row = _row(owner, version)
        moved = 0
        if version == owner.parameters_version:
            moved = _void_moves(owner, now, client_id)
            _put_in_force(owner, row.based_on)
    learner.parameters_version = owner.parameters_version
    return Adoption(owner.parameters_version, moved)


def _put_in_force(owner: Learner, version: int) -> None:
    owner.parameters_version = version
    owner.save(update_fields=["parameters_version"])
    rebuild(owner)


def _with_present_rules(owner: Learner, version: int, now: datetime) -> int:
    """The version itself, or for a fit one with its numbers and the steps and limits in force.

    Where those numbers are in force already nothing is made: a request may come twice.
    """
    if not version:
        return 0
    row, versions = _row(owner, version), versions_of(owner)
    current = versions[owner.parameters_version]
    present = rule_values(current)
    if row.origin == Parameters.Origin.FIT and versions[version].parameters == current.parameters:
        return owner.parameters_version
    if row.origin != Parameters.Origin.FIT or present == rule_values(versions[version]):
        return version
    values = {
        "numbers": row.numbers,
        "report": row.report,
        "origin": row.origin,
        "created_at": now,
        **present,
    }
    made = Parameters(learner=owner, version=next_version(owner), based_on=owner.parameters_version, **values)
    made.save(force_insert=True)
    return made.version


def _row(owner: Learner, version: int) -> Parameters:
    if not version:
        raise CannotAdopt("the built-in version was made from no other: there is nothing to go back to")
    if version not in versions_of(owner):
        raise CannotAdopt(f"you have no version {version} of the parameters; see the list for those you have")
    return Parameters.objects.get(learner=owner, version=version)


def _reschedule(owner: Learner, now: datetime, client_id: UUID, per_day: int) -> int:
    """A line for each card that moves; none where this id has moved cards already."""
    mark = _mark(owner, client_id)
    if Review.objects.filter(learner=owner, kind=Review.Kind.SET_DUE, device=mark).exists():
        return 0
    found = list(moves(owner, owner.parameters_version))
    targets = staged(found, study_day_of(owner, now), per_day)
    desk = Desk(owner, now)
    desk.expect(cards=list(targets))
    written = _lay_moves(desk, targets, client_id, mark)
    desk.write()
    return written


def _lay_moves(desk: Desk, targets: Mapping[int, date], client_id: UUID, mark: str) -> int:
    cards, said = Card.objects.select_related("topic").in_bulk(targets), Said(device=mark)
    created = 0
    for pk, day in targets.items():
        one = uuid5(client_id, str(cards[pk].uuid))
        created += put_event(desk, cards[pk], Review.Kind.SET_DUE, client_id=one, target_day=day, said=said)[
            1
        ]
    return created


def _mark(owner: Learner, client_id: UUID | None = None) -> str:
    """What the lines of a rescheduling carry as their device, so that an undo finds them."""
    return f"version-{owner.parameters_version}-{client_id.hex if client_id else ''}"


def moved_by_current(learner: Learner) -> int:
    """How many cards the version in force has moved to another day, and not back."""
    return _moves_of(learner).count()


def _void_moves(owner: Learner, now: datetime, client_id: UUID) -> int:
    """Takes back what the present version moved and no undo has yet, however long ago."""
    lines = list(_moves_of(owner).select_related("card__topic"))
    desk, cards = Desk(owner, now), {line.card_id for line in lines}
    desk.expect(cards=cards)
    desk.expect_lines(cards)
    for line in lines:
        one = uuid5(client_id, str(line.client_id))
        void = plain_line(owner, line.card, Review.Kind.VOID, client_id=one, now=now)
        void.voids, void.body_digest = line, digest_of("void", {"review": str(line.client_id)})
        desk.append(void)
    desk.write()
    return len(lines)


def _moves_of(owner: Learner) -> QuerySet[Review]:
    lines = Review.objects.filter(learner=owner, kind=Review.Kind.SET_DUE, voided_by=None)
    return lines.filter(device__startswith=_mark(owner))
