"""A learner's ledger as arrays for fitting: what counts, card by card, and what is left out of it and why.

Left out, so that a fit learns from answers that were given: cards marked in bulk, from the mark on; imported
cards whose beginning is missing; all before a reset. Knows no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import connection

from studyhub.study.models import Learner, Review
from studyhub.study.scheduling.histories import Booleans, Histories, Integers

BULK_RUN = 10
BULK_SECONDS = 1.0
"""So many answers in a row, each less than this after the one before, were not given one by one: nobody
reads and answers a card within a second, ten times. An offline device that sends its answers late keeps
their times."""
NEEDED = (Review.Kind.REVIEW, Review.Kind.IMPORT, Review.Kind.RESET, Review.Kind.VOID)

# One row of text for each column: a hundred thousand rows as Python objects would cost more than their fit.
_JOINED = {"sqlite": "group_concat({})", "postgresql": "string_agg(({})::text, ',')"}
_DAY = {
    "sqlite": "CAST(julianday(study_day) - 2440587.5 AS integer)",
    "postgresql": "study_day - DATE '1970-01-01'",
}
_AT = {
    "sqlite": "CAST(julianday(answered_at) * 86400000.0 - 210866760000000.0 AS integer)",
    "postgresql": "(EXTRACT(EPOCH FROM answered_at) * 1000)::bigint",
}
_KIND = "CASE kind WHEN 'review' THEN 0 WHEN 'import' THEN 1 WHEN 'reset' THEN 2 ELSE 3 END"
_COLUMNS = ("id", "card_id", "rating", "device_sequence", "COALESCE(voids_id, 0)", "interval_before", _KIND)
_REVIEW, _IMPORT, _RESET, _VOID = range(4)


@dataclass(frozen=True)
class Answers:
    """The answers that count, in the order of the fold within each card, after its last reset.

    `begun_elsewhere`: the card's first answer was imported and came when it had an interval already.
    """

    histories: Histories
    begun_elsewhere: Booleans
    dropped: Mapping[str, int] = field(default_factory=dict)


def answers_of(learner: Learner) -> Answers:
    """All answers of the learner that count."""
    row, card, rating, sequence, voids, interval, kind, day, at = _read(learner)
    live = (kind != _VOID) & ~np.isin(row, voids[voids > 0])
    order = np.flatnonzero(live)[np.lexsort((sequence[live], at[live], card[live]))]
    card, rating, kind, interval = card[order], rating[order], kind[order], interval[order]
    lines = Histories(card, rating, day[order], at[order] / 1000)
    resets = lines.within_card(kind == _RESET)
    kept = (resets == _last_of_card(lines, resets)) & (kind != _RESET) & (rating > 0)
    elsewhere = (kind == _IMPORT) & (interval > 0)
    histories = lines.only(kept)
    return Answers(
        histories,
        elsewhere[kept][histories.starts][histories.lane],
        {"before_reset": int(((resets < _last_of_card(lines, resets)) & (kind != _RESET)).sum())},
    )


def training_answers(answers: Answers) -> Answers:
    """The answers to learn from, and how many were dropped for which reason."""
    histories = answers.histories
    marked = histories.within_card(in_bulk(histories.at)) > 0
    kept = ~answers.begun_elsewhere & ~marked
    dropped = {
        **answers.dropped,
        "begun_elsewhere": int(answers.begun_elsewhere.sum()),
        "in_bulk": int((marked & ~answers.begun_elsewhere).sum()),
    }
    return Answers(histories.only(kept), answers.begun_elsewhere[kept], dropped)


def in_bulk(at: Any) -> Booleans:
    """Which answers (seconds, any order) belong to a run of BULK_RUN or more within BULK_SECONDS each."""
    order = np.argsort(at, kind="stable")
    close = np.diff(at[order]) < BULK_SECONDS
    run = np.concatenate([[0], np.cumsum(~close)]).astype(int)[: len(at)]
    marked = np.empty(len(at), bool)
    marked[order] = np.bincount(run, minlength=1)[run] >= BULK_RUN if len(at) else False
    return marked


def _last_of_card(lines: Histories, values: Integers) -> Integers:
    """For each line the value of its card's last line."""
    ends = lines.starts + lines.lengths - 1
    return values[ends][lines.lane] if len(lines) else values


def _read(learner: Learner) -> list[Integers]:
    """The columns of the learner's lines, in no order but the same in each."""
    vendor = connection.vendor
    columns = [*_COLUMNS, _DAY[vendor], _AT[vendor]]
    joined = ", ".join(_JOINED[vendor].format(column) for column in columns)
    marks = ", ".join(["%s"] * len(NEEDED))
    table = Review._meta.db_table
    with connection.cursor() as cursor:
        mine = f"FROM {table} WHERE learner_id = %s AND kind IN ({marks})"
        cursor.execute(f"SELECT {joined} {mine}", [learner.pk, *NEEDED])
        texts = cursor.fetchone()
    return [np.fromstring(text or "", np.int64, sep=",") for text in texts]
