"""What recall the schedule promised beside what came of it, in bins of five per cent. Reads the kept sums."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date

from studyhub.study.models import DayRollup, Learner
from studyhub.study.statistics.shares import Share


@dataclass(frozen=True)
class PromiseBin:
    """Answers with about the same promise: its mean, 0..1, and how many were recalled."""

    promised: float
    share: Share


@dataclass(frozen=True)
class Calibration:
    """All tested answers that came with a promise, since the first study day with one."""

    bins: tuple[PromiseBin, ...]
    promised: float | None
    recalled: Share
    since: date | None

    @property
    def number(self) -> int:
        """How many answers there are."""
        return self.recalled.number


def calibration(learner: Learner) -> Calibration:
    """The promises of a learner, lowest bin first; one query over the kept days."""
    rows = DayRollup.objects.filter(learner=learner).exclude(promised={}).order_by("study_day")
    days = list(rows.values_list("study_day", "promised"))
    sums: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for _, promised in days:
        for edge, three in promised.items():
            sums[int(edge)] = [old + new for old, new in zip(sums[int(edge)], three, strict=True)]
    return _calibration([sums[edge] for edge in sorted(sums)], days[0][0] if days else None)


def _calibration(sums: list[list[int]], since: date | None) -> Calibration:
    bins = tuple(PromiseBin(mille / number / 1000, Share(passed, number)) for number, passed, mille in sums)
    recalled = sum((one.share for one in bins), Share())
    promised = sum(mille for _, _, mille in sums) / recalled.number / 1000 if bins else None
    return Calibration(bins, promised, recalled, since)
