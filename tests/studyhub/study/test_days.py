"""A study day begins at the rollover hour by the zone's own rules, whatever the clocks do."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studyhub.study.scheduling.days import UnknownTimeZone, rollover, study_day

pytestmark = pytest.mark.plain

ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "America/Sao_Paulo", "America/Havana"),
    *(
        "Pacific/Apia",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "Africa/Casablanca",
        "Asia/Beirut",
        "Asia/Gaza",
    ),
    *("Antarctica/Troll", "Pacific/Chatham", "Pacific/Kiritimati", "America/Asuncion", "Asia/Tehran"),
)
ANY_ZONE = st.sampled_from(ZONES)
ANY_HOUR = st.integers(0, 23)
ANY_INSTANT = st.datetimes(datetime(2000, 1, 2), datetime(2040, 12, 30)).map(lambda t: t.replace(tzinfo=UTC))


@given(ANY_INSTANT, ANY_ZONE, ANY_HOUR)
@example(datetime(2011, 12, 30, 13, 59, 59, tzinfo=UTC), "Pacific/Apia", 4)
@example(datetime(2010, 11, 7, 2, 45, tzinfo=UTC), "America/St_Johns", 0)
@example(datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "Europe/Berlin", 2)
def test_an_instant_lies_between_its_day_and_the_next(instant, zone, hour):
    day = study_day(instant, time_zone=zone, hour=hour)
    assert rollover(day, time_zone=zone, hour=hour) <= instant
    assert instant < rollover(day + timedelta(days=1), time_zone=zone, hour=hour)


@given(ANY_INSTANT, st.integers(0, 200_000), ANY_ZONE, ANY_HOUR)
def test_time_never_runs_back_to_an_earlier_study_day(instant, seconds, zone, hour):
    later = instant + timedelta(seconds=seconds)
    assert study_day(instant, time_zone=zone, hour=hour) <= study_day(later, time_zone=zone, hour=hour)


@given(ANY_INSTANT, ANY_ZONE, ANY_HOUR)
def test_what_is_due_at_a_rollover_is_due_on_that_study_day(instant, zone, hour):
    day = study_day(instant, time_zone=zone, hour=hour)
    begins = rollover(day, time_zone=zone, hour=hour)
    assert study_day(begins, time_zone=zone, hour=hour) >= day
    assert study_day(begins - timedelta(microseconds=1), time_zone=zone, hour=hour) < day


@pytest.mark.parametrize(
    ("local", "day"),
    [
        (datetime(2026, 3, 29, 3, 59), date(2026, 3, 28)),  # clocks went forward at 2:00
        (datetime(2026, 3, 29, 4, 0), date(2026, 3, 29)),
        (datetime(2026, 10, 25, 3, 59), date(2026, 10, 24)),  # clocks went back at 3:00
        (datetime(2026, 10, 25, 4, 0), date(2026, 10, 25)),
    ],
)
def test_berlin_rolls_over_at_four_on_the_wall_on_both_days_of_the_change(local, day):
    instant = local.replace(tzinfo=ZoneInfo("Europe/Berlin")).astimezone(UTC)
    assert study_day(instant, time_zone="Europe/Berlin", hour=4) == day


def test_a_day_of_the_change_has_twenty_three_or_twenty_five_hours():
    def hours(day: date) -> float:
        begins = rollover(day, time_zone="Europe/Berlin", hour=4)
        ends = rollover(day + timedelta(days=1), time_zone="Europe/Berlin", hour=4)
        return (ends - begins).total_seconds() / 3600

    assert (hours(date(2026, 3, 28)), hours(date(2026, 10, 24))) == (23, 25)


def test_the_day_samoa_left_out_holds_no_instant():
    begins = rollover(date(2011, 12, 30), time_zone="Pacific/Apia", hour=4)
    assert begins == rollover(date(2011, 12, 31), time_zone="Pacific/Apia", hour=4)


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../../etc/passwd", "America", "x\x00", "a" * 300])
def test_a_name_that_is_no_zone_is_refused_with_the_way_out(name):
    with pytest.raises(UnknownTimeZone, match="IANA name"):
        rollover(date(2026, 1, 1), time_zone=name, hour=4)
