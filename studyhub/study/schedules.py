"""The learner's own steps, longest interval and leech rule: each change is a new version that lines name.

A version is never updated, so a line that was scheduled by one is folded by it for ever. Knows no fit.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from studyhub.study.models import Learner, Parameters
from studyhub.study.rules import versions_of
from studyhub.study.scheduling import Rules

MOST_STEPS = 10
LONGEST_STEP = 30 * 86_400  # seconds
LONGEST_INTERVAL = 36_500  # days
MOST_LAPSES = 99
NAMES = ("learning_steps", "relearning_steps", "maximum_interval", "leech_after", "leech_suspends")


class InvalidSchedule(ValueError):
    """A rule that cannot be. `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def schedule_of(learner: Learner) -> dict[str, Any]:
    """The rules now in force with their version, as JSON holds them: steps in seconds, interval in days."""
    return {
        "version": learner.parameters_version,
        **rule_values(versions_of(learner)[learner.parameters_version]),
    }


def change_schedule(learner: Learner, changes: Mapping[str, Any], now: datetime) -> Parameters | None:
    """A new version with these rules (keys of NAMES) and the present numbers, in force from now on.

    Steps: at most 10, of 1 second to 30 days each. maximum_interval: 1 to 36,500 days. leech_after: 0 to 99
    lapses, 0 = never. None where nothing differs. Raises InvalidSchedule; nothing is written then.
    """
    read = {name: _checked(name, value) for name, value in changes.items()}
    with transaction.atomic():
        owner = Learner.objects.select_for_update().get(pk=learner.pk)
        current = versions_of(owner)[owner.parameters_version]
        wanted = rule_values(current) | read
        if wanted == rule_values(current):
            return None
        version = Parameters.objects.create(
            learner=owner,
            version=next_version(owner),
            numbers=list(current.parameters),
            origin=Parameters.Origin.EDIT,
            based_on=owner.parameters_version,
            created_at=now,
            **wanted,
        )
        owner.parameters_version = version.version
        owner.save(update_fields=["parameters_version"])
    learner.parameters_version = version.version
    return version


def rule_values(rules: Rules) -> dict[str, Any]:
    """What a version keeps besides its numbers, as JSON holds it."""
    return {
        "learning_steps": list(rules.learning_steps),
        "relearning_steps": list(rules.relearning_steps),
        "maximum_interval": rules.maximum_interval,
        "leech_after": rules.leech_after,
        "leech_suspends": rules.leech_suspends,
    }


def next_version(learner: Learner) -> int:
    """The number of the learner's next version. The caller holds the lock."""
    last = Parameters.objects.filter(learner=learner).aggregate(last=Max("version"))["last"]
    return (last or 0) + 1


def _checked(name: str, value: Any) -> Any:
    if name not in _CHECKS:
        raise InvalidSchedule(str(name), f"{name} is no rule of the schedule; there are {', '.join(NAMES)}")
    return _CHECKS[name](name, value)


def _steps(name: str, value: Any) -> list[int]:
    if not isinstance(value, list | tuple) or len(value) > MOST_STEPS:
        found = len(value) if isinstance(value, list | tuple) else repr(value)
        raise InvalidSchedule(name, f"{found} are not at most {MOST_STEPS} steps, in seconds")
    return [_whole(f"{name}.{index}", step, 1, LONGEST_STEP) for index, step in enumerate(value)]


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise InvalidSchedule(name, f"{value} is no whole number from {least} to {most:,}")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidSchedule(name, f"{value!r} is neither true nor false")
    return value


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "learning_steps": _steps,
    "relearning_steps": _steps,
    "maximum_interval": lambda name, value: _whole(name, value, 1, LONGEST_INTERVAL),
    "leech_after": lambda name, value: _whole(name, value, 0, MOST_LAPSES),
    "leech_suspends": _flag,
}
