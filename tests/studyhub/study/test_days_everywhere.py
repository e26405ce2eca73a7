"""Every zone of the IANA database, every change of its clocks from 2000 to 2040, every rollover hour.

The reference knows stretches of one UTC offset and counts in whole seconds; ours asks the database for a wall
time. A plain scan over minutes, slower still, holds the reference.
"""

import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo

import pytest

from studyhub.study.scheduling import moment_of, rollover, study_day, zone_names

pytestmark = [pytest.mark.plain, pytest.mark.xdist_group("zones")]  # the clocks of all zones are read once

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY, HOUR, MINUTE = 86_400, 3600, 60
FIRST, LAST = (int((datetime(year, 1, 1, tzinfo=UTC) - EPOCH).total_seconds()) for year in (2000, 2041))
LOOK = 4 * DAY  # between two looks at a zone's offset: none has changed and changed back so soon
EVERY = (
    1 if os.environ.get("THOROUGH") else 6
)  # of 24 hours take each, or each sixth, another at every change
PARTS = 8


@dataclass(frozen=True)
class Clocks:
    """A zone as stretches: `starts` (UTC; the first stands for ever before) and `offsets`, in seconds."""

    starts: tuple[int, ...]
    offsets: tuple[int, ...]

    def begins(self, day: int, hour: int) -> int:
        """The second (UTC) when clocks first show `hour`:00 on `day`, or would have, had they not jumped."""
        wall = day * DAY + hour * HOUR
        ends = (*self.starts[1:], LAST + 400 * DAY)
        near = range(max(0, bisect_right(self.starts, wall - DAY) - 1), len(self.starts))
        for place in near:
            instant = wall - self.offsets[place]
            if instant < self.starts[place]:
                return wall - self.offsets[place - 1]  # jumped over: as the clocks before would have it
            if instant < ends[place]:
                return instant
        raise AssertionError(f"{day} lies beyond what is known")

    def day_of(self, instant: int, hour: int) -> int:
        """The last day that has begun."""
        day = instant // DAY + 2
        while self.begins(day, hour) > instant:
            day -= 1
        return day


def clocks_of(name: str) -> Clocks:
    """Looks at the zone every few days and closes in on each change."""
    zone = ZoneInfo(name)
    starts, offsets = [FIRST - DAY], [datetime.fromtimestamp(FIRST, zone).utcoffset()]
    for look in range(FIRST, LAST, LOOK):
        after = datetime.fromtimestamp(look, zone).utcoffset()
        if after != offsets[-1]:
            low, high = look - LOOK, look
            while high - low > 1:
                middle = (low + high) // 2
                same = datetime.fromtimestamp(middle, zone).utcoffset() == offsets[-1]
                low, high = (middle, high) if same else (low, middle)
            starts.append(high)
            offsets.append(after)
    return Clocks(tuple(starts), tuple(int(offset.total_seconds()) for offset in offsets))


def zone_file(name: str) -> bytes:
    """What the database holds for a zone; its name where the database is no folder."""
    paths = (Path(folder) / name for folder in TZPATH)
    return next((path.read_bytes() for path in paths if path.is_file()), name.encode())


@cache
def zones() -> dict[Clocks, str]:
    """One name for each way clocks went from 2000 to 2040: links and twins are left out."""
    distinct = {zone_file(name): name for name in sorted(zone_names(), reverse=True)}
    return {clocks_of(name): name for name in distinct.values()}


def changes(part: int) -> Iterator[tuple[str, Clocks, int, int]]:
    """(zone, its clocks, second of a change, rollover hour) of one part of the zones."""
    for number, (clocks, name) in enumerate(zones().items()):
        if number % PARTS == part:
            for place, change in enumerate(clocks.starts[1:]):
                for hour in range((place + number) % EVERY, 24, EVERY):
                    yield name, clocks, change, hour


def at(second: int) -> datetime:
    return EPOCH + timedelta(seconds=second)


def dated(day: int) -> date:
    return at(day * DAY).date()


@pytest.mark.parametrize("part", range(PARTS))
def test_row_08_days_begin_at_the_hour_on_the_wall_around_every_change_of_the_clocks(part):
    wrong = [
        (name, dated(day), hour)
        for name, clocks, change, hour in changes(part)
        for day in range(change // DAY - 1, change // DAY + 2)
        if rollover(dated(day), time_zone=name, hour=hour) != at(clocks.begins(day, hour))
    ]
    assert wrong == []


@pytest.mark.parametrize("part", range(PARTS))
def test_row_07_the_study_day_around_every_change_is_that_of_the_zones_rules_then(part):
    wrong = [
        (name, at(instant), hour)
        for name, clocks, change, hour in changes(part)
        for begins in (clocks.begins(change // DAY, hour),)
        for instant in (change - 1, change, begins - 1, begins)
        if study_day(at(instant), time_zone=name, hour=hour) != dated(clocks.day_of(instant, hour))
    ]
    assert wrong == []


@pytest.mark.parametrize("part", range(PARTS))
def test_row_09_an_interval_over_a_change_ends_when_its_day_begins(part):
    wrong = []
    for name, clocks, change, hour in changes(part):
        moment = moment_of(at(change - 3 * DAY), time_zone=name, rollover_hour=hour)
        day = clocks.day_of(change - 3 * DAY, hour)
        if moment.rollover_in(4) != at(clocks.begins(day + 4, hour)):
            wrong.append((name, at(change), hour))
    assert wrong == []


def test_the_zones_are_all_of_them():
    assert len(zone_names()) > 400
    assert len(zones()) > 100
    assert sum(len(clocks.starts) - 1 for clocks in zones()) > 2_000


def scanned(name: str, day: date, hour: int) -> datetime:
    """The first minute at which the zone's clocks show the hour, looking at every minute of three days."""
    zone, begins = ZoneInfo(name), datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(days=1)
    shown = datetime(day.year, day.month, day.day, hour)
    minutes = (begins + timedelta(minutes=number) for number in range(3 * 1440))
    return next(minute for minute in minutes if minute.astimezone(zone).replace(tzinfo=None) >= shown)


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("Europe/Berlin", date(2026, 3, 29)),
        ("Europe/Berlin", date(2026, 10, 25)),
        ("Australia/Lord_Howe", date(2026, 4, 5)),
        ("America/St_Johns", date(2010, 11, 7)),
        ("Pacific/Apia", date(2011, 12, 31)),
        ("Antarctica/Troll", date(2026, 10, 25)),
        ("Africa/Casablanca", date(2026, 2, 15)),
    ],
)
@pytest.mark.parametrize("hour", [0, 1, 2, 3, 4, 23])
def test_the_reference_is_what_a_scan_over_minutes_finds(name, day, hour):
    """But for an hour that is skipped: the scan finds the jump, the reference the time it would have come."""
    begins = at(clocks_of(name).begins((day - EPOCH.date()).days, hour))
    found = scanned(name, day, hour)
    if found.astimezone(ZoneInfo(name)).hour == hour:
        assert begins == found
    else:
        assert found <= begins < found + timedelta(hours=2)


def test_row_11_the_day_does_not_turn_at_midnight_utc():
    """A day index from UTC midnight is off by one for half of the evening of half of the world."""
    evening = datetime(2026, 12, 1, 3, 0, tzinfo=UTC)  # 19:00 the day before in Los Angeles
    assert study_day(evening, time_zone="America/Los_Angeles", hour=4) == date(2026, 11, 30)
    assert study_day(evening, time_zone="Asia/Tokyo", hour=4) == date(2026, 12, 1)
