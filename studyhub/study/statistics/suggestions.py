"""What a learner's reviews say of the suggestions. Reads only; knows no page."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from studyhub.study.models import Learner, Review


@dataclass(frozen=True)
class Overrides:
    """How often the suggestion of an answer type was kept; `unsuggested`: rated where there was none."""

    answer_type: str
    kept: int = 0
    raised: int = 0
    lowered: int = 0
    unsuggested: int = 0

    @property
    def suggested(self) -> int:
        """Reviews that came with a suggestion."""
        return self.kept + self.raised + self.lowered


def overrides(learner: Learner | None = None) -> list[Overrides]:
    """What became of the suggestions of reviews that count, by answer type; without a learner, of everyone.

    One query.
    """
    live = Review.objects.filter(kind=Review.Kind.REVIEW, voided_by=None, card_version__isnull=False)
    rows = (live.filter(learner=learner) if learner else live).values_list(
        "card_version__answer_type", "suggested_rating", "rating"
    )
    found: dict[str, Counter[str]] = {}
    for answer_type, suggested, rating, number in rows.annotate(number=Count("pk")).order_by():
        found.setdefault(answer_type, Counter())[_what_became(suggested, rating)] += number
    return [Overrides(name, **counted) for name, counted in sorted(found.items())]


def _what_became(suggested: int, rating: int) -> str:
    if not suggested:
        return "unsuggested"
    return "kept" if rating == suggested else "raised" if rating > suggested else "lowered"
