"""What a learner's reviews add up to: days, shares with their intervals, what is due, what was promised."""

import uuid
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from cards.models import Card
from studyhub.study import rollups
from studyhub.study.models import Attempt, DayRollup, Memory, Parameters, Review
from studyhub.study.rules import rules_of
from studyhub.study.scheduling import fsrs7, recall_chance
from studyhub.study.statistics.calibration import calibration
from studyhub.study.statistics.columns import DayNumber, columns
from studyhub.study.statistics.confidence import confidence
from studyhub.study.statistics.days import answers_by_day, days_in_a_row, heat_map, totals
from studyhub.study.statistics.forecast import forecast
from studyhub.study.statistics.leeches import leeches
from studyhub.study.statistics.mastery import mastery
from studyhub.study.statistics.retention import true_retention
from studyhub.study.statistics.scoring import latest_scores
from studyhub.study.statistics.shares import Share
from studyhub.study.statistics.topic import Recall, topic_recall

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def shelf(new_card, topic):
    """Cards a to f, in the order of the shelf."""
    return {slug: new_card(slug, topic, position) for position, slug in enumerate("abcdef")}


@pytest.mark.plain
@pytest.mark.parametrize(
    ("passed", "number", "low", "high"),
    [(0, 10, 0.0, 0.2775), (9, 10, 0.5958, 0.9821), (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)],
)
def test_the_interval_of_a_share_is_wilsons(passed, number, low, high):
    """The last two: Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    share = Share(passed, number)
    assert (share.low, share.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    assert share.low <= share.value <= share.high


@pytest.mark.plain
def test_a_share_of_nothing_has_no_value_and_could_be_anything():
    assert (Share().value, Share().low, Share().high, Share().few) == (None, 0.0, 1.0, True)
    assert Share(1, 2) + Share(2, 8) == Share(3, 10)
    with pytest.raises(ValueError, match="3 of 2"):
        Share(3, 2)


def test_answers_by_day_end_today_and_leave_out_what_was_undone(room, card):
    room.study(card, at=MONDAY - 2 * DAY)
    room.study(card)
    room.undo(room.study(card))
    found = answers_by_day(room.learner, MONDAY, days=4)
    assert found == [
        (date(2026, 11, 27), 0),
        (date(2026, 11, 28), 1),
        (date(2026, 11, 29), 0),
        (date(2026, 11, 30), 1),
    ]


@pytest.mark.parametrize(
    ("days_ago", "streak"),
    [([], 0), ([0], 1), ([1], 1), ([2], 0), ([0, 1, 2], 3), ([1, 2, 4], 2), ([0, 2], 1)],
)
def test_days_in_a_row(room, card, days_ago, streak):
    for ago in reversed(days_ago):
        room.study(card, at=MONDAY - ago * DAY)
    assert days_in_a_row(room.learner, MONDAY) == streak


def test_topic_never_started_says_how_many_cards_wait(room, shelf, topic):
    assert topic_recall(room.learner, topic, MONDAY).sentence == "Not started, 6 cards."


def test_topic_recall_sums_the_chances_of_all_its_cards(room, shelf, topic):
    for slug in "abcd":
        room.graduate(shelf[slug], at=MONDAY - 2 * DAY)
    recall = topic_recall(room.learner, "d-head", MONDAY)
    assert (recall.seen, recall.cards) == (4, 6)
    assert recall.expected == pytest.approx(4 * 0.9, abs=0.1)
    assert recall.sentence == "You would recall about 4 of 6 today."


def test_one_card_is_singular():
    assert Recall(0.0, 0, 1).sentence == "Not started, 1 card."


def test_the_days_of_a_journey_over_the_date_line_are_in_a_row(room, card):
    """Sunday in Los Angeles, a night flight, Tuesday in Tokyo: nobody had a Monday there."""
    at = datetime(2026, 11, 30, 3, tzinfo=UTC)
    for zone, then in (("America/Los_Angeles", at), ("Asia/Tokyo", at + timedelta(hours=20))):
        room.rate(room.answer(card, now=then), 3, at=then, time_zone=zone)
    days = list(Review.objects.order_by("answered_at").values_list("study_day", flat=True))
    assert days == [date(2026, 11, 29), date(2026, 12, 1)]
    assert days_in_a_row(room.learner, at + timedelta(hours=21)) == 2


def test_the_heat_map_has_whole_weeks_from_monday_with_answers_and_seconds(room, card):
    room.rate(room.answer(card, elapsed_ms=4_000, now=MONDAY - 7 * DAY), 3, at=MONDAY - 7 * DAY)
    room.rate(room.answer(card, elapsed_ms=5_500), 1)
    found = heat_map(room.learner, MONDAY + 2 * DAY, weeks=2)
    assert [row.day for row in found] == [date(2026, 11, 23) + n * DAY for n in range(10)]
    assert [(row.answers, row.seconds) for row in found if row.answers] == [(1, 4), (1, 5)]
    assert totals(room.learner).since == date(2026, 11, 23)
    assert (totals(room.learner).answers, totals(room.learner).seconds) == (2, 9)


def test_row_07_days_of_the_heat_map_are_those_lived_whatever_the_clocks_do_later(room, card):
    """srs.md row 7: half past four in winter and in summer; then the learner moves to Tokyo."""
    room.learner.time_zone = "Europe/Berlin"
    room.learner.save()
    for utc in (datetime(2026, 1, 10, 3, 30, tzinfo=UTC), datetime(2026, 1, 11, 2, 30, tzinfo=UTC)):
        room.rate(room.answer(card, now=utc), 3, at=utc)
    summer = datetime(2026, 6, 20, 2, 30, tzinfo=UTC)
    room.rate(room.answer(card, now=summer), 3, at=summer)
    for zone in ("Europe/Berlin", "Asia/Tokyo"):
        room.learner.time_zone = zone
        days = [row.day for row in heat_map(room.learner, summer) if row.answers]
        assert days == [date(2026, 1, 10), date(2026, 6, 20)], zone
        assert totals(room.learner).answers == 3


def test_a_date_is_numbered_as_python_numbers_it(room, card):
    for day in (date(1, 1, 1), date(1999, 12, 31), date(2000, 2, 29), MONDAY.date(), date(9999, 12, 31)):
        room.learner.rollups.all().delete()
        DayRollup.objects.create(learner=room.learner, study_day=day)
        rows = DayRollup.objects.annotate(number=DayNumber("study_day")).values_list("number")
        assert columns(rows, 1).tolist() == [[day.toordinal()]]


GOLDEN = (
    # days ago, kind, rating, state before, interval before -> young, mature (+ recalled, - failed)
    (0, "review", 3, "review", 20, "young+"),
    (0, "review", 1, "review", 21, "mature-"),
    (0, "review", 3, "new", 0, ""),
    (0, "review", 1, "learning", 0, ""),
    (0, "review", 2, "relearning", 1, "young+"),  # a relearning step with an interval of days counts
    (0, "review", 4, "learning", 3, "young+"),
    (0, "review", 3, "review", 0, "young+"),
    (0, "review", 3, "review", 400, "void"),
    (0, "set_due", 0, "review", 400, ""),  # manual
    (0, "reset", 0, "review", 30, ""),
    (0, "suspend", 0, "review", 30, ""),
    (1, "review", 1, "review", 5, "young-"),
    (6, "import", 2, "review", 90, "mature+"),
    (6, "import", 0, "review", 90, ""),  # rescheduled by hand where it came from
    (7, "review", 3, "review", 30, "mature+"),
    (29, "review", 1, "review", 30, "mature-"),
    (30, "review", 3, "review", 2, "young+"),
    (364, "review", 3, "review", 21, "mature+"),
    (365, "review", 1, "review", 1, "young-"),
)


def test_row_21_true_retention_equals_ankis_definition_on_a_golden_log(room, card):
    """srs.md row 21: what was set by hand, practised or undone is no recall."""
    for ago, kind, rating, state, interval, means in GOLDEN:
        line = _line(room, card, ago=ago, kind=kind, rating=rating, state=state, interval=interval)
        if means == "void":
            _line(room, card, ago=ago, kind="void", rating=0, state=state, interval=interval, voids=line)
    room.answer(card, practice=True)  # practice makes no line
    _recount(room)
    found = true_retention(room.learner, MONDAY)
    expected = {
        "today": ((4, 4), (0, 1)),
        "yesterday": ((0, 1), (0, 0)),
        "week": ((4, 5), (1, 2)),
        "month": ((4, 5), (2, 4)),
        "year": ((5, 6), (3, 5)),
        "all": ((5, 7), (3, 5)),
    }
    for period, (young, mature) in expected.items():
        shares = found[period]
        assert (shares["young"], shares["mature"]) == (Share(*young), Share(*mature)), period
        assert shares["all"] == shares["young"] + shares["mature"]


def test_practice_changes_no_figure(room, card):
    room.graduate(card, at=MONDAY - 9 * DAY)
    before = true_retention(room.learner, MONDAY), totals(room.learner), calibration(room.learner)
    room.answer(card, "99", practice=True)
    assert (true_retention(room.learner, MONDAY), totals(room.learner), calibration(room.learner)) == before


def test_the_forecast_counts_each_card_on_its_day_and_the_overdue_apart(room, shelf):
    for slug, card in shelf.items():
        room.graduate(card, at=MONDAY)
        due = {"a": -1, "b": 0, "c": 2, "d": 2, "e": 29, "f": 30}[slug]
        day = MONDAY.replace(hour=4) + due * DAY
        Memory.objects.filter(card=card).update(due=day)
    found = forecast(room.learner, MONDAY)
    assert found.overdue == 1
    assert {row.day.isoformat(): row.due for row in found.days if row.due} == {
        "2026-11-30": 1,
        "2026-12-02": 2,
        "2026-12-29": 1,
    }
    assert (len(found.days), found.total, found.most) == (30, 5, 2)


def test_the_forecast_leaves_out_what_is_not_asked_and_waits_for_burials(room, shelf):
    for card in shelf.values():
        room.graduate(card, at=MONDAY)
        Memory.objects.filter(card=card).update(due=MONDAY + DAY)
    Memory.objects.filter(card=shelf["a"]).update(suspended=True)
    Memory.objects.filter(card=shelf["b"]).update(buried_until=date(2026, 12, 4))
    Card.objects.filter(pk=shelf["c"].pk).update(state=Card.State.RETIRED)
    found = forecast(room.learner, MONDAY)
    assert {row.day.day: row.due for row in found.days if row.due} == {1: 3, 4: 1}


def test_a_forecast_of_nothing_is_thirty_empty_days(room):
    found = forecast(room.learner, MONDAY)
    assert (found.overdue, found.total, found.most, len(found.days)) == (0, 0, 0, 30)


def test_mastery_is_the_mean_chance_over_the_cards_seen_with_what_was_tested(room, shelf, new_topic):
    new_topic("masks", 1)
    for slug in "abc":
        room.graduate(shelf[slug], at=MONDAY - 9 * DAY)
    room.study(shelf["a"], 1, at=MONDAY)
    (only,) = mastery(room.learner, MONDAY)
    days = {"a": date(2026, 12, 1), "b": date(2026, 11, 30), "c": date(2026, 11, 30)}  # a: answered today
    chances = [recall_chance(room.memory(shelf[slug]), day) for slug, day in days.items()]
    assert (only.topic, only.cards, only.seen) == ("d-head", 6, 3)
    assert only.expected == pytest.approx(sum(chances))
    assert only.mean_recall == pytest.approx(sum(chances) / 3)
    assert only.observed == Share(0, 1)
    assert topic_recall(room.learner, "d-head", MONDAY).expected == pytest.approx(only.expected)


def test_mastery_before_the_first_answer_has_no_mean(room, shelf):
    (only,) = mastery(room.learner, MONDAY)
    assert (only.cards, only.seen, only.mean_recall, only.observed) == (6, 0, None, Share())


def test_mastery_follows_the_learners_own_numbers_of_either_model(room, shelf):
    room.graduate(shelf["a"], at=MONDAY - 9 * DAY)
    Memory.objects.update(short_stability=4.0)
    Parameters.objects.create(
        learner=room.learner,
        version=1,
        numbers=list(fsrs7.DEFAULT_PARAMETERS),
        learning_steps=[],
        relearning_steps=[],
        origin="edit",
        created_at=MONDAY,
    )
    before = mastery(room.learner, MONDAY)[0].expected
    room.learner.parameters_version = 1
    after = mastery(room.learner, MONDAY)[0].expected
    numbers = rules_of(room.learner).parameters
    assert len(numbers) == 34
    assert after == pytest.approx(recall_chance(room.memory(shelf["a"]), date(2026, 11, 30), numbers))
    assert after != pytest.approx(before, abs=1e-3)


def test_calibration_sets_promises_beside_what_came_of_them(room, card):
    for n, (promised, rating) in enumerate([(871, 3), (893, 1), (899, 4), (952, 3), (1000, 2), (0, 1)]):
        _line(room, card, ago=n, rating=rating, state="review", interval=9, promised=promised)
    _line(room, card, ago=1, rating=3, state="learning", interval=0, promised=940)  # not past learning
    _recount(room)
    found = calibration(room.learner)
    assert [(round(one.promised, 4), one.share) for one in found.bins] == [
        (round((0.871 + 0.893 + 0.899) / 3, 4), Share(2, 3)),
        (0.976, Share(2, 2)),
    ]
    assert (found.number, found.recalled) == (5, Share(4, 5))
    assert found.promised == pytest.approx((871 + 893 + 899 + 952 + 1000) / 5000)
    assert found.since == date(2026, 11, 26)


def test_calibration_of_nothing_is_empty(room):
    found = calibration(room.learner)
    assert (found.bins, found.promised, found.number, found.since) == ((), None, 0, None)
    assert latest_scores(room.learner) == {}


def test_scores_tell_a_schedule_that_knows_from_averages_that_do_not(room, shelf):
    """Easy cards are always recalled, hard ones never: the schedule knows which is which."""
    for ago in range(40, 0, -1):
        for n, card in enumerate(shelf.values()):
            easy = n % 2
            _line(room, card, ago=ago, rating=3 if easy else 1, state="review", promised=950 if easy else 100)
    found = latest_scores(room.learner, most=200)
    assert {scores.number for scores in found.values()} == {200}
    assert found["schedule"].auc == 1.0
    assert found["schedule"].log_loss == pytest.approx(-np.log([0.95, 0.9]).mean(), abs=0.001)
    for baseline in ("average", "moving_average"):
        assert found[baseline].log_loss > found["schedule"].log_loss
        assert found[baseline].rmse > found["schedule"].rmse


def test_scores_leave_out_what_was_undone(room, card):
    lines = [_line(room, card, ago=ago, rating=1, state="review", promised=900) for ago in (3, 2, 1)]
    _line(room, card, ago=1, kind="void", rating=0, voids=lines[-1])
    assert latest_scores(room.learner)["schedule"].number == 2


def test_confidence_is_scored_by_what_came_of_it(room, card):
    for said, text in ((40, "12"), (40, "99"), (70, "12"), (95, "12"), (95, "99"), (0, "99")):
        room.answer(card, text, confidence=said)
    room.answer(card, "12", confidence=95, practice=True)
    found = confidence(room.learner)
    assert [(row.said, row.share) for row in found.rows] == [
        (40, Share(1, 2)),
        (70, Share(1, 1)),
        (95, Share(2, 3)),
    ]
    squares = [0.6**2, 0.4**2, 0.3**2, 0.05**2, 0.05**2, 0.95**2]
    assert (found.number, found.brier) == (6, pytest.approx(sum(squares) / 6))


def test_confidence_in_an_answer_that_nothing_could_grade_tells_nothing(room, card):
    attempt = room.answer(card, "12", confidence=70)
    Attempt.objects.filter(pk=attempt.pk).update(outcome="undecided")
    assert (confidence(room.learner).rows, confidence(room.learner).brier) == ((), None)


def test_leeches_are_listed_worst_first_and_the_limit_is_the_learners(room, shelf):
    for slug, lapses in (("a", 8), ("b", 7), ("c", 12)):
        room.graduate(shelf[slug])
        Memory.objects.filter(card=shelf[slug]).update(lapses=lapses)
    assert [(one.slug, one.lapses) for one in leeches(room.learner)] == [("c", 12), ("a", 8)]
    assert leeches(room.learner, most=1)[0].card == str(shelf["c"].uuid)


def test_no_figure_counts_another_learners_answers(room, other_room, shelf):
    for card in shelf.values():
        other_room.graduate(card, at=MONDAY - 9 * DAY)
        other_room.rate(other_room.answer(card, confidence=70), 1)
    assert (
        totals(room.learner).answers
        == confidence(room.learner).number
        == calibration(room.learner).number
        == 0
    )
    assert true_retention(room.learner, MONDAY)["all"]["all"] == Share()
    assert forecast(room.learner, MONDAY).total == mastery(room.learner, MONDAY)[0].seen == 0


def test_a_page_of_figures_costs_a_fixed_number_of_queries(room, shelf, django_assert_max_num_queries):
    for ago in (30, 20, 3):
        for card in shelf.values():
            room.study(card, at=MONDAY - ago * DAY)
    with django_assert_max_num_queries(14):
        heat_map(room.learner, MONDAY), totals(room.learner), days_in_a_row(room.learner, MONDAY)
        true_retention(room.learner, MONDAY), forecast(room.learner, MONDAY), mastery(room.learner, MONDAY)
        calibration(room.learner), latest_scores(room.learner), confidence(room.learner)


def _line(
    room: Any,
    card: Card,
    *,
    ago: int,
    rating: int,
    kind: str = "review",
    state: str = "review",
    interval: int = 3,
    promised: int = 0,
    voids: Review | None = None,
) -> Review:
    """A line of the ledger with these facts, as it came that many days ago."""
    at = MONDAY - ago * DAY
    return Review.objects.create(
        learner=room.learner,
        client_id=uuid.uuid4(),
        kind=kind,
        card=card,
        rating=rating,
        answered_at=at,
        received_at=at,
        study_day=at.date(),
        state_before=state,
        interval_before=interval,
        recall_before=promised,
        voids=voids,
    )


def _recount(room: Any) -> None:
    rollups.rewrite(room.learner)
