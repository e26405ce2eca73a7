"""Counts the answers that were given before days had sums: else Progress would begin with the upgrade."""

from typing import Any

from django.db import migrations
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce

RATINGS = {"again": 1, "hard": 2, "good": 3, "easy": 4}
AT_ONCE = 500


def count_answers(apps: Any, _schema_editor: Any) -> None:
    """Answers and their time, by learner and study day; what retention stands on was not kept then."""
    review, rollup = apps.get_model("study", "Review"), apps.get_model("study", "DayRollup")
    sums = {name: Count("pk", filter=Q(rating=rating)) for name, rating in RATINGS.items()}
    sums["elapsed_ms"] = Coalesce(Sum("elapsed_ms"), 0)
    live = review.objects.filter(kind="review", voided_by=None).values("learner_id", "study_day")
    rollup.objects.bulk_create(
        (rollup(**row) for row in live.annotate(**sums).order_by().iterator(AT_ONCE)),
        batch_size=AT_ONCE,
        update_conflicts=True,
        unique_fields=("learner", "study_day"),
        update_fields=tuple(sums),
    )


class Migration(migrations.Migration):
    dependencies = [
        ("study", "0007_attempts_by_time"),
    ]

    operations = [
        migrations.RunPython(count_answers, migrations.RunPython.noop),
    ]
