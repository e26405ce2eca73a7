"""The study day of an instant: a calendar day that begins at the learner's rollover hour. Knows no learner.

The day follows the zone's rules at that instant, so neither summer time nor travel moves a day that has been.
"""

from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones


class UnknownTimeZone(ValueError):
    """A name that is in no time zone database."""


@cache
def zone_names() -> frozenset[str]:
    """The IANA names in this machine's database, read once."""
    return frozenset(available_timezones() - {"localtime"})  # the server's own, another one elsewhere


def zone_named(name: str) -> ZoneInfo:
    """The zone of an IANA name. Raises UnknownTimeZone."""
    if name not in zone_names():
        raise UnknownTimeZone(f"{name!r} is no time zone; send an IANA name such as Europe/Berlin, or UTC")
    return ZoneInfo(name)


def rollover(day: date, *, time_zone: str, hour: int) -> datetime:
    """The instant (UTC) at which study day `day` begins: the first time clocks there show `hour`:00.

    An hour that summer time skips begins when it would have come.
    """
    return rollover_at(time_zone, day, hour)


@lru_cache(maxsize=16_384)  # a replay asks for a few thousand different days, a million times
def rollover_at(time_zone: str, day: date, hour: int) -> datetime:
    """As `rollover`."""
    local = datetime(day.year, day.month, day.day, hour, tzinfo=zone_named(time_zone))
    return local.astimezone(UTC)


def study_day(instant: datetime, *, time_zone: str, hour: int) -> date:
    """The study day that holds `instant`: rollover(day) <= instant < rollover(day + 1)."""
    day = instant.astimezone(zone_named(time_zone)).date() + timedelta(days=1)
    while instant < rollover_at(time_zone, day, hour):
        day -= timedelta(days=1)
    return day
