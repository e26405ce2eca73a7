"""Complaints about clocks, zones and days, each tried on what is stored and shown. Rows of srs.md."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from studyhub.study.checking import Findings, check
from studyhub.study.models import Attempt, Review
from studyhub.study.pace import USUAL_SECONDS, seconds_per_card
from tests.studyhub.study.conftest import MONDAY
from tests.studyhub.web.conftest import Browser

from .acting import alone, posted, rated, synced, told

DAY = timedelta(days=1)
TWO_MINUTES = 120_000


def answers_by_day(api) -> dict[str, int]:
    """The heat map: days with answers alone."""
    return {one["day"]: one["answers"] for one in told(api, "study/statistics")["heat_map"] if one["answers"]}


def test_row_07_the_heat_map_counts_an_answer_on_the_day_it_was_where_and_when_it_was_given(api, card):
    """anki#2801: past days were counted with today's offset from UTC, so days went missing. Here an answer at
    half past four of a summer morning stays on its day in winter, and after a move to the other side."""
    summer = datetime(2026, 10, 24, 2, 30, tzinfo=UTC)  # 04:30 in Berlin; by the offset of winter 03:30
    winter = datetime(2026, 10, 26, 2, 30, tzinfo=UTC)  # 03:30: the study day before
    for at in (summer, winter):
        synced(api, rated(card, at=at, time_zone="Europe/Berlin"))
    expected = {"2026-10-24": 1, "2026-10-25": 1}
    assert answers_by_day(api) == expected
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        assert api.send("PATCH", "study/settings", {"time_zone": zone, "rollover_hour": 0}).status_code == 200
        assert answers_by_day(api) == expected


CHANGES = [
    ("Europe/Berlin", date(2026, 10, 25)),
    ("Europe/Berlin", date(2027, 3, 28)),
    ("America/New_York", date(2026, 11, 1)),
    ("America/St_Johns", date(2027, 3, 14)),
    ("Australia/Lord_Howe", date(2027, 4, 4)),  # half an hour
    ("America/Sao_Paulo", date(2018, 11, 4)),  # the last years that changed there, at midnight
    ("Africa/Cairo", date(2027, 4, 30)),
]


@pytest.mark.parametrize(("zone", "change"), CHANGES)
@pytest.mark.parametrize("hour", [4, 22])
def test_row_08_a_card_is_due_at_the_hour_that_was_set_before_and_after_a_change_of_clocks(
    room, card, zone, change, hour
):
    """Anki-Android#3770, #5912, #6203: days began an hour off after a change of clocks, or at the hour of
    another setting. Here the clock on the wall shows the learner's hour when a card comes due."""
    here = ZoneInfo(zone)
    room.learner.time_zone, room.learner.rollover_hour = zone, hour
    room.learner.save()
    noon = datetime(change.year, change.month, change.day, 12, tzinfo=here) - DAY
    room.study(card, 4, at=noon.astimezone(UTC))
    for _ in range(3):
        memory = room.memory(card)
        due = memory.due.astimezone(here)
        assert (due.hour, due.minute) == (hour, 0)
        assert due.date() == memory.last_study_day + memory.interval_days * DAY
        room.study(card, 3, at=memory.due)
    assert memory.last_study_day > change


def test_row_08_the_hour_that_is_set_counts_from_the_next_answer_on(api, room, card, new_card, topic):
    """The same issues: the setting was ignored. It counts for answers to come, and moves none that was."""
    before = new_card("before", topic, position=1)
    synced(api, rated(before, "easy", at=MONDAY, time_zone="Asia/Kolkata"))
    due = room.memory(before).due
    assert api.send("PATCH", "study/settings", {"rollover_hour": 6}).status_code == 200
    synced(api, rated(card, "easy", at=MONDAY, time_zone="Asia/Kolkata"))
    hours = [one.astimezone(ZoneInfo("Asia/Kolkata")).hour for one in (due, room.memory(card).due)]
    assert hours == [4, 6]
    assert room.memory(before).due == due


SKEWS = [timedelta(hours=-1), timedelta(hours=1), -90 * DAY, timedelta(minutes=4), 400 * DAY, -9_000 * DAY]


def test_row_09_a_device_with_a_wrong_clock_is_never_refused(api, room, card, clock):
    """Anki-Android#5627: a country left summer time, and the server refused 3,600 s of skew. Here any is
    taken: an answer that is late keeps its time, one from the future gets ours and is marked."""
    for number, skew in enumerate(SKEWS):
        clock.move_to(MONDAY + number * DAY)
        now = MONDAY + number * DAY
        sent = alone(rated(card, at=now + skew, time_zone="America/Sao_Paulo", device="phone"))
        posted(api, "reviews", sent)
        line = Review.objects.get(client_id=sent["id"])
        ahead = skew > timedelta(minutes=5)
        assert (line.clock_adjusted, line.received_at) == (ahead, now)
        assert line.answered_at == (now if ahead else now + skew)
        assert line.time_zone == "America/Sao_Paulo"
        shown = told(api, "reviews?limit=1")[0]
        assert (shown["review"], shown["clock_adjusted"]) == (sent["id"], ahead)
    assert room.memory(card).reps == len(SKEWS)
    assert check(room.learner) == Findings()


def test_row_10_what_is_said_of_an_impossible_clock_shows_both_clocks_and_what_to_do(api, card):
    """Anki-Android#16978: an error about the clock that helped nobody. The one that is left here (a clock
    before 2000 or after 2100) names the time of the device, that of the service, and the way out."""
    sent = rated(card, at=datetime(1970, 1, 1, 0, 3, tzinfo=UTC))
    [outcome] = synced(api, sent)
    [error] = outcome["problem"]["errors"]
    assert (outcome["status"], error["field"]) == (422, "answered_at")
    assert "1970-01-01T00:03:00" in error["reason"]
    assert MONDAY.strftime("%Y-%m-%dT%H:%M:%SZ") in error["reason"]
    assert "set the device's clock and send it again" in error["reason"]
    assert [one["status"] for one in synced(api, sent | {"answered_at": MONDAY.isoformat()})] == [201]


def test_row_28_a_time_of_thought_is_never_negative_never_endless_and_unknown_where_it_is_unknown(
    api, room, card
):
    """Anki-Android#3142: some 400 of 10,000 reviews took no or a negative time. Here a negative one is
    refused, a long one was a break, and 0 means unknown: it is left out of what an answer usually takes."""
    refused = api.post("reviews", alone(rated(card, at=MONDAY, elapsed_ms=-5)))
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "elapsed_ms")
    assert not Review.objects.exists()
    times = [0] * 30 + [8_000] * 10 + [36_000_000]
    synced(api, *(rated(card, at=MONDAY - timedelta(hours=n), elapsed_ms=ms) for n, ms in enumerate(times)))
    stored = list(Review.objects.order_by("-answered_at").values_list("elapsed_ms", flat=True))
    assert stored == [min(ms, TWO_MINUTES) for ms in times]
    assert seconds_per_card(room.learner, MONDAY) == pytest.approx((10 * 8 + 120) / 11)
    assert told(api, "study/statistics")["totals"]["seconds"] == 200


def test_row_28_a_page_takes_no_negative_time_from_a_clock_that_was_set_back(
    clock, room, card, new_card, topic
):
    """The same issue on the pages: shown in the future, or left meanwhile, is a time that nobody knows."""
    browser = Browser(Client())
    browser.client.force_login(room.learner.user)
    later = int((MONDAY + DAY).timestamp() * 1000)
    for position, sent in enumerate(({"shown_at": later}, {"shown_at": 1_000, "away": "1"})):
        browser.answer(new_card(f"card-{position}", topic, position=position).slug, text="12", **sent)
    browser.answer(card.slug, text="12", shown_at=int(MONDAY.timestamp() * 1000) - 9_000)
    assert list(Attempt.objects.order_by("pk").values_list("elapsed_ms", flat=True)) == [0, 0, 9_000]
    assert seconds_per_card(room.learner, MONDAY) == USUAL_SECONDS
