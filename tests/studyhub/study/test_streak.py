"""Days in a row: a day left out ends the run, no journey does."""

import random
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyhub.study.scheduling import rollover, study_day, zone_names
from studyhub.study.statistics.streak import ActiveDay, active_day, streak

pytestmark = pytest.mark.plain

HOUR = timedelta(hours=1)
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
ZONES = (
    *("Pacific/Kiritimati", "Pacific/Auckland", "Asia/Tokyo", "Asia/Kolkata", "Europe/Berlin", "UTC"),
    *("America/New_York", "America/Los_Angeles", "Pacific/Honolulu", "Pacific/Pago_Pago", "Etc/GMT+12"),
)


def _day(day: date, zone: str = "Europe/Berlin", hour: int = 4) -> ActiveDay:
    return active_day(day, [(zone, hour)])


def _run(days: list[date], today: date, zone: str = "Europe/Berlin") -> int:
    return streak([_day(day, zone) for day in sorted(days, reverse=True)], _day(today, zone))


def test_a_run_ends_today_or_yesterday_while_today_is_open() -> None:
    days = [date(2026, 11, day) for day in (25, 27, 28, 29)]
    assert _run(days, date(2026, 11, 29)) == 3
    assert _run(days, date(2026, 11, 30)) == 3
    assert _run(days, date(2026, 12, 1)) == 0
    assert _run([], date(2026, 12, 1)) == 0


def test_no_more_days_are_taken_than_decide() -> None:
    def days() -> object:
        yield _day(date(2026, 11, 29))
        yield _day(date(2026, 11, 20))
        raise AssertionError("the run has ended")

    assert streak(days(), _day(date(2026, 11, 30))) == 1  # type: ignore[arg-type]


def test_samoa_slept_over_a_calendar_day_and_no_run_ended() -> None:
    days = [date(2011, 12, day) for day in (28, 29, 31)]
    assert _run(days, date(2011, 12, 31), "Pacific/Apia") == 3


def test_a_flight_to_tokyo_that_skips_a_date_holds_the_run() -> None:
    monday = _day(date(2026, 11, 30), "America/Los_Angeles")
    wednesday = _day(date(2026, 12, 2), "Asia/Tokyo")
    assert streak([wednesday, monday], wednesday) == 2
    assert streak([monday], wednesday) == 1  # just landed, nothing answered yet


def test_a_day_lived_twice_on_the_way_back_counts_once_and_breaks_nothing() -> None:
    both = active_day(date(2026, 12, 1), [("Asia/Tokyo", 4), ("America/Los_Angeles", 4)])
    after = _day(date(2026, 12, 2), "America/Los_Angeles")
    assert streak([after, both, _day(date(2026, 11, 30), "Asia/Tokyo")], after) == 3


@pytest.mark.parametrize(
    "place", [("America/Los_Angeles", 23), ("Etc/GMT+12", 23), ("Pacific/Kiritimati", 0)]
)
def test_dates_that_follow_each_other_hold_the_run_wherever_and_whenever_they_begin(place) -> None:
    """From Tokyo by midnight to Los Angeles by 23 o'clock the next date begins 40 hours after the last."""
    today = active_day(date(2026, 12, 2), [place])
    assert streak([today, _day(date(2026, 12, 1), "Asia/Tokyo", 0)], today) == 2


def test_a_date_ahead_of_today_was_lived_further_west() -> None:
    """Tuesday is answered in Tokyo; after the flight it is Monday again."""
    tuesday, monday = _day(date(2026, 12, 1), "Asia/Tokyo"), _day(date(2026, 11, 30), "America/Los_Angeles")
    assert streak([tuesday, _day(date(2026, 11, 30), "Asia/Tokyo")], monday) == 2


def test_a_day_left_out_at_home_ends_the_run_in_every_zone() -> None:
    for zone in sorted(zone_names())[::7]:
        for first in (date(2026, 3, 7), date(2026, 3, 28), date(2026, 10, 24), date(2026, 10, 31)):
            days = [first - timedelta(days=1), first, first + timedelta(days=2)]
            assert _run(days, first + timedelta(days=2), zone) == 1, zone


@given(seed=st.integers(0, 2**32), hour=st.integers(0, 23))
@settings(max_examples=60, deadline=None)
def test_one_answer_on_each_local_day_lived_makes_a_run_whatever_the_journey(seed: int, hour: int) -> None:
    """A traveller stays for days, flies up to ten hours, answers once a local day of four hours or more."""
    luck = random.Random(seed)
    answered: dict[date, set[tuple[str, int]]] = {}
    now, zone = START, luck.choice(ZONES)
    for _ in range(12):
        leaves = now + luck.randrange(24, 120) * HOUR
        while now < leaves:
            day = study_day(now, time_zone=zone, hour=hour)
            ends = rollover(day + timedelta(days=1), time_zone=zone, hour=hour)
            lived = min(ends, leaves) - now
            if lived >= 4 * HOUR:
                answered.setdefault(day, set()).add((zone, hour))
            now = max(now + HOUR, min(ends, leaves))
        zone, now = luck.choice(ZONES), now + luck.randrange(0, 11) * HOUR
    days = [active_day(day, sorted(answered[day])) for day in sorted(answered, reverse=True)]
    assert streak(days, days[0]) == len(days)
