"""One topic to read, with what the learner knows of it beside the text."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from cards.models import Topic
from studyhub.study.asking.queue import counts
from studyhub.study.models import learner_of
from studyhub.study.statistics.topic import Recall, topic_recall
from studyhub.web import words
from studyhub.web.topic_page import anchor_of, rail_section, reading_words, sections_view

PIECES = 60


@login_required
@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """GET /topics/<slug>/."""
    learner, now = learner_of(request.user), timezone.now()  # type: ignore[arg-type]
    found = get_object_or_404(Topic.objects.on_shelf(), slug=slug)
    sections = sections_view(found.sections)
    recall, ready = topic_recall(learner, found, now), counts(learner, now, topic=found).total
    context = {
        "here": "topics",
        "here_is": "true",
        "slug": slug,
        "plain_title": words.plain(found.title),
        "title_html": words.title_html(found.title),
        "place": _place(found),
        "reading": f"{reading_words(found.sections)}; {words.counted(recall.cards, 'card')}",
        "sections": sections,
        "contents": sections,
        "total": recall.cards,
        "ready": ready,
        "ready_words": words.counted(ready, "card"),
        "brief_anchor": anchor_of(sections, "brief"),
        "known": {"pieces": _pieces(recall), "sentence": recall.sentence},
        "related": rail_section(found.sections, "related"),
        "analogy": rail_section(found.sections, "analogy"),
    }
    return render(request, "web/topic.html", context)


def _place(topic: Topic) -> str:
    siblings = list(Topic.objects.on_shelf().filter(deck=topic.deck_id).values_list("pk", flat=True))
    return f"Topic {siblings.index(topic.pk) + 1} of {len(siblings)}"


def _pieces(recall: Recall) -> list[str]:
    """One piece a card: known today, fading, or not seen; scaled down past 60."""
    known, seen = round(recall.expected), recall.seen
    scale = min(1.0, PIECES / max(recall.cards, 1))
    full, fading = round(known * scale), round(max(seen - known, 0) * scale)
    rest = max(round(recall.cards * scale) - full - fading, 0)
    return ["seen"] * full + ["fading"] * fading + ["new"] * rest
