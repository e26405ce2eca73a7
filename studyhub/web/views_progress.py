"""Progress: what the answers add up to, each chart with its table. Counts nothing itself."""

from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from studyhub.study.models import Interview, Learner, learner_of
from studyhub.study.pace import ENOUGH_ANSWERS, USUAL_SECONDS, seconds_per_card
from studyhub.web import words

if TYPE_CHECKING:
    from studyhub.study.statistics.figures import Figures


@login_required
@require_safe
def progress(request: HttpRequest) -> HttpResponse:
    """GET /progress/: four figures, and a chart and a table for each question."""
    from studyhub.study.statistics.figures import figures  # numpy is loaded where figures are asked for

    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    found = figures(learner, now)
    if not found.totals.answers:
        return render(request, "web/progress_empty.html", {"here": "progress"})
    pace = seconds_per_card(learner, now)
    context = {"here": "progress", "pace": "" if pace == USUAL_SECONDS else words.span(pace)}
    return render(request, "web/progress.html", context | _charts(learner, found))


def _charts(learner: Learner, found: "Figures") -> dict[str, Any]:
    from studyhub.study.fit_report import FEWEST
    from studyhub.web import calendar_drawing, charts, progress_said, progress_tables

    seen = sum(topic.seen for topic in found.topics)
    interview = Interview.objects.filter(learner=learner).values_list("day", flat=True).first()
    due_bars = progress_tables.due_bars(found.forecast)
    tested = found.true_retention["all"]["all"]
    return {
        "found": found,
        "recalled": round(sum(topic.expected for topic in found.topics)),
        "seen": seen,
        "tested": progress_tables.Observed(tested),
        "since": progress_said.since(found.totals.since, found.study_day),
        "enough": ENOUGH_ANSWERS,
        "plot": charts.calibration_plot(found.calibration.bins) if found.calibration.bins else None,
        "promise": progress_said.promise(found.calibration),
        "promise_note": progress_said.promise_note(found.calibration, found.study_day),
        "bins": [
            (round(100 * one.promised), progress_tables.Observed(one.share)) for one in found.calibration.bins
        ],
        "scores": progress_tables.scores(found.scores),
        "coming": progress_said.coming(found.forecast, progress_tables.SHOWN_DAYS),
        "due_bars": due_bars,
        "interview": progress_tables.interview_bar(found.forecast, due_bars, interview),
        "fewest": FEWEST,
        "version": learner.parameters_version,
        "run": progress_said.run(found.days_in_a_row),
        "weeks_said": progress_said.weeks(found.heat_map),
        "calendar": calendar_drawing.calendar(found.heat_map),
        "weekdays": [(name, 20 * row + 13) for row, name in enumerate(calendar_drawing.WEEKDAYS)],
        "weeks": progress_tables.weeks(found.heat_map),
        "topics": progress_tables.topics(found.topics),
        "aim": round(100 * learner.desired_retention, 1),
        "retention": progress_tables.retention(found.true_retention),
        "leeches": progress_tables.leeches(found.leeches),
        "confidence": progress_tables.confidence(found.confidence),
        "sureness": progress_said.sureness(found.confidence) if found.confidence.number else "",
    }
