"""Form fields an author types structure into: lines, and YAML by the content files' own reader."""

import json
import re
from pathlib import Path
from typing import Any

import yaml
from django import forms
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from cards.answer_types.choice import LONGEST_RUN
from cards.frontmatter import ContentProblem, parse_yaml

FORM = Path("form")
CODE = {"cols": 90, "style": "font-family: monospace", "spellcheck": "false"}


def explained(text: str) -> SafeString:
    """A help text with its `code` set as code and its lines kept."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return mark_safe("<br>".join(marked.split("\n")))  # noqa: S308  (escaped above)


class LinesField(forms.CharField):
    """One value a line; blank lines are left out."""

    def __init__(self, *, rows: int = 4, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": rows, "cols": 90}), max_length=8000, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        """A list as lines."""
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[str]:
        """The lines."""
        return [line.strip() for line in super().clean(value).splitlines() if line.strip()]


class YamlField(forms.CharField):
    """A YAML value of the given type (safe loader, aliases refused), as in a content file's front matter."""

    def __init__(self, *, of: type, rows: int = 6, **kwargs: Any) -> None:
        self.of = of
        super().__init__(widget=forms.Textarea(attrs={**CODE, "rows": rows}), max_length=20_000, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        """A stored value as YAML; what an author has just typed stays as typed."""
        if isinstance(value, str):
            return value
        return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100) if value else ""

    def clean(self, value: Any) -> Any:
        """The value. Raises ValidationError that names the line."""
        text = super().clean(value)
        try:
            read = parse_yaml(FORM, text, 1)
        except ContentProblem as problem:
            reason = str(problem).partition(f":{problem.line}: ")[2]
            raise forms.ValidationError(f"line {problem.line}: {reason}") from problem
        if read is None:
            return self.of()
        if not isinstance(read, self.of):
            raise forms.ValidationError(f"this must be a {NAMES[self.of]}, not {type(read).__name__}")
        return read


class RunsField(forms.CharField):
    """What an option runs: code or another text as it is typed, a number, or a list of whole numbers."""

    def __init__(self, **kwargs: Any) -> None:
        area = forms.Textarea(attrs={**CODE, "rows": 2})
        super().__init__(widget=area, max_length=LONGEST_RUN, required=False, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        """A stored number or list as it is typed."""
        return value if isinstance(value, str | None) else json.dumps(value)

    def clean(self, value: Any) -> Any:
        """The value; "" for nothing to run. What is neither a number nor a list is text."""
        text = super().clean(value)
        if not re.fullmatch(r"[-+]?\d[\d.]*|\[.*\]", text, re.DOTALL):
            return text
        try:
            return parse_yaml(FORM, text, 1)
        except ContentProblem:
            return text


NAMES: dict[type, str] = {dict: "list of `name: value` lines", list: "list, each entry starting with `- `"}
