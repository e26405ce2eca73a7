"""The statistics of a learner: figures with their numbers and intervals. Counts nothing itself."""

from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.reading.requests import current_learner
from studyhub.api.schema.operations import answered, operation
from studyhub.api.schema.statistics_examples import STATISTICS
from studyhub.api.schema.statistics_shapes import StatisticsShape
from studyhub.study.statistics.shares import Share

if TYPE_CHECKING:
    from studyhub.study.statistics.figures import Figures


class StudyStatistics(APIView):
    """What the answers add up to."""

    @operation(
        "get_statistics", {200: StatisticsShape()}, examples=[answered("After some months", STATISTICS)]
    )
    def get(self, request: Request) -> Response:
        """Retention, what comes due, answers a day, recall by topic, promises kept, confidence, leeches."""
        from studyhub.study.statistics.figures import figures  # numpy is loaded where figures are asked for

        return Response(_body(figures(current_learner(request), timezone.now())))


def _body(found: "Figures") -> dict[str, Any]:
    fields = {name: _json(value) for name, value in vars(found).items()}
    scores, periods = fields.pop("scores"), fields.pop("true_retention")
    fields["calibration"] |= {
        "number": found.calibration.number,
        "scores": [{"name": name, **values} for name, values in scores.items()],
    }
    fields["true_retention"] = [{"period": period, **shares} for period, shares in periods.items()]
    for row, topic in zip(fields["topics"], found.topics, strict=True):
        row["mean_recall"] = topic.mean_recall
    return fields


def _json(value: Any) -> Any:
    """Values as JSON: a share with what follows from it."""
    if isinstance(value, Share):
        return {**asdict(value), "value": value.value, "low": value.low, "high": value.high}
    if is_dataclass(value):
        return {name: _json(inner) for name, inner in vars(value).items()}
    if isinstance(value, dict):
        return {name: _json(inner) for name, inner in value.items()}
    return [_json(inner) for inner in value] if isinstance(value, list | tuple) else value
