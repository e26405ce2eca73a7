"""The form an author writes a card in: common fields, and those of its answer type."""

from typing import TYPE_CHECKING, Any

from django import forms

from cards.answering import ANSWER_TYPES
from cards.authoring.editors import editor
from cards.authoring.fields import LinesField, YamlField
from cards.authoring.versions import draft_version, latest_version
from cards.keys import KeyProblem, compute, is_key
from cards.markdown import MarkdownTooLong
from cards.models import Card, CardVersion, Source

# Django's classes take a type argument for mypy only.
if TYPE_CHECKING:
    CardModelForm = forms.ModelForm[Card]
else:
    CardModelForm = forms.ModelForm

TEXT = forms.Textarea(attrs={"rows": 7, "cols": 90})
PICTURE_HELP = (
    "Pictures computed from this card's numbers, such as `- {kind: head_split, parameters: {d_model: 768, "
    "num_heads: $answer}}`. Kinds: answer_executed, head_split, attention_pattern. `$answer` is the "
    "learner's value."
)
MISTAKES_HELP = (
    'Each: `- {name: heads_for_width, key: {compute: num_heads, model: bert-base}, says: "..."}` or with '
    "`when: does_not_divide` (a predicate) in place of `key`; `says` may use {answer} and {key}. "
    "For a choice, name and says are enough; for an ordering, `before: [id, id]`."
)


class TypeForm(forms.Form):
    """The first question about a new card."""

    answer_type = forms.ChoiceField(choices=[(name, name) for name in ANSWER_TYPES])


class CardForm(CardModelForm):
    """A card and the content of its next version."""

    answer_type = forms.CharField(widget=forms.HiddenInput)
    prompt = forms.CharField(
        widget=TEXT, max_length=20_000, help_text="Markdown with $maths$; never the key."
    )
    explanation = forms.CharField(widget=TEXT, max_length=20_000, help_text="Shown below the result.")
    mistakes = YamlField(of=list, required=False, rows=8, help_text=MISTAKES_HELP)
    hints = LinesField(required=False, rows=3, help_text="At most three, one a line.")
    picture = YamlField(of=list, required=False, rows=5, help_text=PICTURE_HELP)
    sources = forms.ModelMultipleChoiceField(Source.objects.order_by("key"), to_field_name="key")
    waivers = YamlField(
        of=dict, required=False, rows=2, help_text="`rule: reason` where this card breaks a rule on purpose."
    )
    edit = forms.ChoiceField(
        choices=CardVersion.Edit.choices,
        initial=CardVersion.Edit.MAJOR,
        help_text="A minor edit keeps the schedule.",
    )

    class Meta:
        model = Card
        fields = ("topic", "slug", "position")

    def __init__(self, *args: Any, answer_type: str, **kwargs: Any) -> None:
        self.editor = editor(answer_type)
        last = latest_version(kwargs["instance"]) if kwargs.get("instance") else None
        stored = _stored(last, self.editor.initial) if last else {"tolerance": "exact"}
        kwargs["initial"] = {**stored, "answer_type": answer_type, **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        self.fields |= self.editor.fields()

    def clean(self) -> dict[str, Any]:
        """Adds `content`. A key that does not compute is said at its field, before anything is written."""
        values = super().clean() or {}
        if self.errors:
            return values
        values["content"] = self._content(values)
        try:
            key = values["content"]["answer"].get("key")
            if is_key(key):
                compute(key)
            draft_version(self.instance, values["content"])
        except KeyProblem as problem:
            self.add_error("compute" if "compute" in self.fields else None, str(problem))
        except MarkdownTooLong as problem:
            self.add_error("prompt", str(problem))
        return values

    def _content(self, values: dict[str, Any]) -> dict[str, Any]:
        answer = {"type": values["answer_type"], **self.editor.answer(values)}
        return {
            "answer_type": values["answer_type"],
            "answer": answer,
            "prompt": values["prompt"],
            "explanation": values["explanation"],
            "parameters": {"waivers": values["waivers"]} if values["waivers"] else {},
            "mistakes": values["mistakes"],
            "hints": values["hints"],
            "picture": values["picture"],
            "sources": [source.key for source in values["sources"]],
        }


def _stored(version: CardVersion, answer_initial: Any) -> dict[str, Any]:
    """A version's content as the form shows it."""
    answer = {k: v for k, v in version.answer.items() if k != "type"}
    picture = [version.picture] if isinstance(version.picture, dict) and version.picture else version.picture
    names = ("prompt", "explanation", "mistakes", "hints", "sources")
    return {
        **{name: getattr(version, name) for name in names},
        **answer_initial(answer),
        "picture": picture,
        "waivers": (version.parameters or {}).get("waivers", {}),
        "edit": CardVersion.Edit.MAJOR,
    }
