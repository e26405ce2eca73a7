"""A topic's sections made ready for the page: order, anchors, which are folded, tables computed now.

Knows no learner.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attention_engine.configs import ModelConfig, UnknownModel, model
from cards.directives import named_models, named_pictures, without_models
from cards.markdown import render
from studyhub.web import words
from studyhub.web.pictures import picture_view

OPEN = ("memory_line", "concept", "rule", "model_table")
"""What stands open, in this order: the first concept only, the others are folded after the pipeline."""
RAIL = ("analogy", "related")
LISTED = ("sources", "related")
EXAMPLE = "bert-base"
_BLOCK = re.compile(r'<div class="math-block">.*?</div>', re.DOTALL)


def sections_view(sections: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Sections of the body in the order of the page, each with its template and anchor."""
    views: list[dict[str, Any]] = []
    for section, folded in _in_order(merged(sections)):
        views.append(_section(section, folded=folded, taken={view["anchor"] for view in views}))
    return views


def merged(sections: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Sources and related come in two parts, an author's text and the list of keys: one section each."""
    found: list[dict[str, Any]] = []
    for section in sections:
        kind = section["kind"]
        earlier = next((one for one in found if one["kind"] == kind), None) if kind in LISTED else None
        if earlier:
            earlier["html"] += section["html"]
            earlier["read_seconds"] = earlier.get("read_seconds", 0) + section.get("read_seconds", 0)
        else:
            found.append(dict(section))
    return found


def rail_section(sections: Sequence[Mapping[str, Any]], kind: str) -> dict[str, Any] | None:
    """The section of a kind that stands beside the text."""
    found = next((section for section in merged(sections) if section["kind"] == kind), None)
    return {"title_html": words.title_html(found["title"]), "html": found["html"]} if found else None


def anchor_of(sections: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Anchor of the first section view of this kind, or ""."""
    return next((str(section["anchor"]) for section in sections if section["kind"] == kind), "")


def reading_words(sections: Sequence[Mapping[str, Any]]) -> str:
    """ "about 4 min to read, 28 with everything open": what stands open, then all of the page."""
    rows = [(_seconds(one), folded and not _opened(one)) for one, folded in _in_order(merged(sections))]
    now = _minutes(sum(seconds for seconds, closed in rows if not closed))
    whole = now + sum(_minutes(seconds) for seconds, closed in rows if closed)
    return f"about {now} min to read" + (f", {whole} with everything open" if whole > now else "")


def _opened(section: Mapping[str, Any]) -> bool:
    """Whether a section that can be folded stands open at first."""
    return bool(section["kind"] == "pipeline")


def _seconds(section: Mapping[str, Any]) -> int:
    return int(section.get("read_seconds", 0))


def _minutes(seconds: int) -> int:
    """Whole minutes, at least 1: what a folded section says of itself, so that their sum is the page's."""
    return max(round(seconds / 60), 1)


def _in_order(sections: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], bool]]:
    """(section, folded): the open ones, then the pipeline, then the rest in the author's order."""
    body = [section for section in sections if section["kind"] not in RAIL]
    firsts = [next((one for one in body if one["kind"] == kind), None) for kind in OPEN]
    opened = [section for section in firsts if section is not None]
    rest = [section for section in body if not any(section is one for one in opened)]
    rest.sort(key=lambda section: section["kind"] != "pipeline")
    return [(section, False) for section in opened] + [(section, True) for section in rest]


def _section(section: Mapping[str, Any], *, folded: bool, taken: set[str]) -> dict[str, Any]:
    kind, title = str(section["kind"]), str(section["title"])
    view: dict[str, Any] = {
        "kind": kind,
        "anchor": _anchor(title, kind, taken=taken),
        "title_html": words.title_html(title),
        "plain": words.plain(title),
        "html": section["html"],
        "template": f"web/sections/{'unfold' if folded else 'prose'}.html",
        "pictures": _pictures(section),
        "minutes": _minutes_words(section),
        "open": _opened(section),
    }
    maker = {
        "memory_line": _memory_line,
        "pipeline": _pipeline,
        "model_table": _model_table,
        "follow_ups": _follow_ups,
    }.get(kind)
    return {**view, **(maker(section) if maker else {})}


def _pictures(section: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Pictures that the text asks for, below it; none where one of them can be made no more."""
    try:
        return [picture_view(one) for one in named_pictures(str(section.get("markdown", "")))]
    except ValueError:  # a model has left the table since the text was loaded: the text stands alone
        return []


def _anchor(title: str, kind: str, *, taken: set[str]) -> str:
    """A fragment from the title, unique on the page."""
    base = re.sub(r"[^a-z0-9]+", "-", words.plain(title).lower()).strip("-") or kind
    number = 2
    anchor = base
    while anchor in taken:
        anchor, number = f"{base}-{number}", number + 1
    return anchor


def _minutes_words(section: Mapping[str, Any]) -> str:
    whole = f"{_minutes(_seconds(section))} min"
    drawn = section["kind"] == "pipeline" or _pictures(section)
    return f"picture, {whole}" if drawn else whole


def _memory_line(section: Mapping[str, Any]) -> dict[str, Any]:
    """The formula large, the rest as a note beside it."""
    html = str(section["html"])
    block = _BLOCK.search(html)
    formula = block.group(0) if block else html
    rest = html.replace(formula, "", 1) if block else ""
    return {"template": "web/sections/memory_line.html", "formula": formula, "rest": rest}


def _pipeline(section: Mapping[str, Any]) -> dict[str, Any]:
    """The table of steps computed for the example model, in place of the typed one."""
    config = model(EXAMPLE)
    parameters = {"model": EXAMPLE, "batch": 2, "tokens": 4}
    picture = picture_view({"role": "right", "kind": "head_split", "parameters": parameters, "seed": 0})
    before, _, after = str(section["html"]).partition("</table>")
    html = after or before
    return {
        "html": html,
        "steps": picture["steps"],
        "picture": {**picture, "steps": [], "title": f"The split of {config.name}"},
    }


def _model_table(section: Mapping[str, Any]) -> dict[str, Any]:
    """Rows of the published models the section names, read from the table that keys are computed from."""
    markdown = str(section.get("markdown", ""))
    try:
        rows = [_model_row(config) for config in named_models(markdown)]
    except UnknownModel:  # a row has left the table since the text was loaded: the table of then stands
        rows = []
    return {"models": rows, "html": render(without_models(markdown))} if rows else {}


def _follow_ups(section: Mapping[str, Any]) -> dict[str, Any]:
    """Questions, each with its approach folded away."""
    asked = section.get("items", [])
    return {"asked": asked, "html": ""} if asked else {}


def _model_row(config: ModelConfig) -> dict[str, Any]:
    return {
        "name": config.name,
        "d_model": config.d_model,
        "num_heads": config.num_heads,
        "num_kv_heads": config.num_kv_heads,
        "d_head": config.d_head,
        "inner": config.num_heads * config.d_head,
        "status": config.status.replace(" ", "\u00a0"),
        "source": config.source,
        "as_of": config.as_of,
    }
