"""What an author sees of a version before learners do: the card in a frame, its key, mistakes, what to mend.

Nothing here is stored: an answer in the frame is graded and forgotten. For staff who may see or change cards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.admin.views.decorators import staff_member_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from cards.answering import answer_type, grade, grade_json, key_text, question_of
from cards.authoring.versions import NotPublishable, publish, version_problems
from cards.faults import Fault, faults
from cards.generators import MAX_SEED, concrete, drawn, is_parametrised
from cards.grading import Example, Unreadable
from cards.models import CardVersion, Origin
from studyhub.delivery.proving import refusals
from studyhub.web.forms import response_of
from studyhub.web.orders import order_rows, orders_view
from studyhub.web.part_rows import parts_view, ticks_view
from studyhub.web.question import given_of, question_view
from studyhub.web.result import mistake_words, result_view
from studyhub.web.said import said

WIDTHS = ("375", "768")
THEMES = ("light", "dark")
CHANGE = "cards.change_card"


@dataclass(frozen=True)
class Tried:
    """A named mistake, the answer it produces (an order as rows) and the grade that answer gets."""

    name: str
    answer: str
    word: str
    rows: Sequence[Mapping[str, Any]] = ()


def may_look(user: Any) -> bool:
    """Staff who may see cards, or change them."""
    return bool(user.has_perm("cards.view_card") or user.has_perm(CHANGE))


@staff_member_required
@require_http_methods(["GET", "HEAD", "POST"])
def preview(request: HttpRequest) -> HttpResponseBase:
    """The author's page, or with ?frame=1 the card alone; a POST publishes, or grades in the frame."""
    if not may_look(request.user):
        raise PermissionDenied
    rows = CardVersion.objects.select_related("card__topic")
    version = get_object_or_404(rows, pk=_number(request.GET.get("version", "")))
    if "frame" in request.GET:
        return _frame(request, version)
    if request.method == "POST":
        return _publish(request, version)
    return render(request, "web/preview.html", _page(request, version))


def _page(request: HttpRequest, version: CardVersion) -> dict[str, Any]:
    width = request.GET.get("width") if request.GET.get("width") in WIDTHS else WIDTHS[0]
    theme = request.GET.get("theme") if request.GET.get("theme") in THEMES else THEMES[0]
    problems, broken = version_problems(version), faults(version)
    local = version.card.origin == Origin.LOCAL
    seed = 0 if broken else _seed(request, version)
    asked = version if broken else concrete(version, seed)
    return {
        "version": version,
        "variant": None if broken else _variant(version, seed),
        "seed": seed,
        "key": _key(asked, broken).splitlines(),
        "key_rows": [] if broken else _right_order(asked),
        "aloud": version.answer_type in ("reveal", "rubric"),
        "lines": version.answer_type == "program",
        "tried": [] if broken else _tried(asked),
        "problems": problems,
        "to_mend": any(not problem.warning for problem in problems),
        "publishable": local and all(problem.warning for problem in problems),
        "published": version.card.published_version_id == version.pk,
        "local": local,
        "may_change": request.user.has_perm(CHANGE),
        "width": width,
        "theme": theme,
        "widths": WIDTHS,
        "themes": THEMES,
        "form_url": reverse("admin:cards_card_change", args=[version.card_id]),
    }


def _publish(request: HttpRequest, version: CardVersion) -> HttpResponse:
    """Publishes if nothing stands against it; says why not otherwise. For staff who may change cards."""
    if not request.user.has_perm(CHANGE):
        raise PermissionDenied
    if version.card.origin != Origin.LOCAL:
        messages.error(request, "Shipped cards are published by the loader; copy this one to change it.")
    else:
        try:
            _proved(version, str(request.user.pk))
            publish(version)
            messages.success(request, f"Version {version.number} is what learners get now.")
        except NotPublishable as problem:
            messages.error(request, f"Not published: {problem}")
    return redirect(f"{reverse('web:preview')}?version={version.pk}")


def _proved(version: CardVersion, owner: str) -> None:
    """Runs the programs of a card without other problems. Raises NotPublishable with what they do wrong."""
    sound = all(problem.warning for problem in version_problems(version))
    if sound and (found := refusals(version, owner)):
        raise NotPublishable("; ".join(found))


def _frame(request: HttpRequest, version: CardVersion) -> HttpResponse:
    """The card as the learner sees it, before or after an answer."""
    theme = request.GET.get("theme") if request.GET.get("theme") in THEMES else ""
    context: dict[str, Any] = {"theme": theme}
    if faults(version):
        return render(request, "web/preview_frame.html", context | {"broken": True})
    seed = _seed(request, version)
    if request.method == "POST":
        context |= _answered(request, concrete(version, seed), seed)
    if "result" not in context:
        error = context.get("error")
        given = given_of(request.POST, error=error) if error else None
        context["question"] = question_view(
            version, variant_seed=seed, given=given, action=request.get_full_path()
        )
    return render(request, "web/preview_frame.html", context)


def _answered(request: HttpRequest, version: Any, seed: int) -> dict[str, Any]:
    """The result of an answer in the frame, or the error of one that could not be read."""
    try:
        response = response_of(request.POST)
        verdict = grade_json(grade(version, seed, response))
    except Unreadable as error:
        return {"error": error}
    return {
        "question": {"prompt_html": version.prompt_html},
        "said": said(version, response, variant_seed=seed, grade=verdict),
        "result": result_view(version, grade=verdict) | {"here": {}},
        "orders": orders_view(version, response=response, grade=verdict),
        "parts": parts_view(version, response=response, grade=verdict, variant_seed=seed),
        "ticks": ticks_view(version, verdict),
        "again": request.get_full_path(),
    }


def _key(version: Any, broken: Sequence[Fault]) -> str:
    """The key, recomputed now; what is wrong with it otherwise."""
    return f"does not compute: {broken[0][1]}" if broken else key_text(version)


def _right_order(version: Any) -> Sequence[Mapping[str, Any]]:
    """The rows of an ordering in the right order; none for other cards."""
    if version.answer_type != "ordering":
        return ()
    right = next(one for one in answer_type("ordering").examples(question_of(version)) if not one.mistake)
    return order_rows(version, right.response["order"])


def _tried(version: Any) -> list[Tried]:
    """Each named mistake tried out; one without a wrong answer of its own is said to change no grade."""
    examples = answer_type(version.answer_type).examples(question_of(version))
    by_name = {example.mistake: example for example in examples if example.mistake}
    names = [str(mistake.get("name", "")) for mistake in version.mistakes]
    return [_one_tried(version, name, by_name.get(name)) for name in names]


def _one_tried(version: Any, name: str, example: Example | None) -> Tried:
    if example is None:
        return Tried(mistake_words(name), "none", "changes no grade")
    try:
        verdict = grade_json(grade(version, 0, dict(example.response)))
    except Unreadable as error:
        return Tried(mistake_words(name), str(error), "cannot be read")
    told = verdict["outcome"] if verdict["mistake"] == name else f"{verdict['outcome']}, named otherwise"
    if verdict["pending"] == "worker":
        told = "known once it is run; publishing runs it"
    orders = orders_view(version, response=example.response, grade=verdict)
    shown = said(version, example.response)
    rows = orders["yours"] if orders else ()
    answer = _ticked_of(version, example) or shown["text"] or _cells_of(example) or shown["words"]
    return Tried(mistake_words(name), answer, told, rows)


def _ticked_of(version: Any, example: Example) -> str:
    """The red flags that are ticked beside a written answer; "" for other types."""
    if version.answer_type != "rubric":
        return ""
    flags = version.answer.get("red_flags") or []
    ticked = example.response.get("choices") or ()
    return "; ".join(f"ticked: {flag['text']}" for flag in flags if flag["id"] in ticked)


def _cells_of(example: Example) -> str:
    """What stands in each cell of an example: "heads: 64; width: 12"."""
    cells = example.response.get("cells") or {}
    return "; ".join(f"{name}: {text}" for name, text in cells.items())


def _seed(request: HttpRequest, version: CardVersion) -> int:
    """The seed of ?seed=; 0, the first variant, where there is none or nothing is drawn."""
    return min(_number(request.GET.get("seed", "")), MAX_SEED - 1) if is_parametrised(version) else 0


def _variant(version: CardVersion, seed: int) -> dict[str, Any] | None:
    """What a seed draws, and its neighbours; None for a card without variants."""
    if not is_parametrised(version):
        return None
    return {"values": drawn(version, seed), "previous": max(seed - 1, 0), "next": seed + 1}


def _number(text: str) -> int:
    """A primary key; 0 (which none has) for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else 0
