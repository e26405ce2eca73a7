"""The form an author writes a card in: common fields, and those of its answer type."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms

from cards.answering import ANSWER_TYPES
from cards.authoring.editors import editor
from cards.authoring.fields import LinesField, YamlField, explained
from cards.authoring.kinds_help import picture_lines
from cards.authoring.versions import latest_version
from cards.faults import faults
from cards.models import Card, CardVersion, Source

# Django's classes take a type argument for mypy only.
if TYPE_CHECKING:
    CardModelForm = forms.ModelForm[Card]
    SourcesBase = forms.ModelMultipleChoiceField[Source]
else:
    CardModelForm = forms.ModelForm
    SourcesBase = forms.ModelMultipleChoiceField

BESIDE = ("waivers", "variants", "where")
"""What a version keeps among its parameters and the form asks for by name."""
TEXT = forms.Textarea(attrs={"rows": 7, "cols": 90})
PICTURE_HELP = explained(
    "Computed from this card's numbers: `- {kind: head_split, parameters: {d_model: 768, num_heads: 12}}`\n"
    "`$answer` as a value stands for the learner's own, then for the right one: `divisor: $answer`, or in "
    "a list, `answer_strides: [160, $answer, 32, 1]`.\n" + "\n".join(picture_lines())
)

VARIANTS_HELP = explained(
    "Values drawn anew for each review, one name a line: `tokens: [8, 16, 32]`, "
    "`num_heads: {from: 4, to: 32, step: 4}`, `d_head: {divisors_of: $d_model, from: 16}`, "
    "`model: [gpt-2-small, llama-3-8b]`; or worked out of others: `d_model: $num_heads * $d_head`, "
    "`key: {compute: quotient, d_model: $d_model, num_heads: $num_heads}`.\n"
    "`$name` alone is the value, `{{ $name }}` stands inside a text; `$model.layers` is what the table of "
    "models has. Every variant is recomputed before it is published."
)
WHERE_HELP = explained(
    "What must hold of the values drawn, one an entry: `- {differ: [$num_heads, $d_head]}`; also "
    "`divides`, `below` and `at_most`, each of two."
)


class SourcesField(SourcesBase):
    """Sources by key and title."""

    def label_from_instance(self, obj: Source) -> str:
        """ "bert-readme: BERT, README of the released models"."""
        return f"{obj.key}: {obj.title}"


class TypeForm(forms.Form):
    """The first question about a new card."""

    answer_type = forms.ChoiceField(choices=[(name, name) for name in ANSWER_TYPES])


class CardForm(CardModelForm):
    """A card and the content of its next version."""

    answer_type = forms.CharField(widget=forms.HiddenInput)
    prompt = forms.CharField(
        widget=TEXT, max_length=20_000, help_text="Markdown with $maths$; never the key."
    )
    variants = YamlField(of=dict, required=False, rows=5, help_text=VARIANTS_HELP)
    where = YamlField(of=list, required=False, rows=2, help_text=WHERE_HELP)
    explanation = forms.CharField(widget=TEXT, max_length=20_000, help_text="Shown below the result.")
    mistakes = YamlField(of=list, required=False, rows=8)
    hints = LinesField(required=False, rows=3, help_text="At most three, one a line.")
    picture = YamlField(of=list, required=False, rows=5, help_text=PICTURE_HELP)
    sources = SourcesField(
        Source.objects.order_by("key"),
        to_field_name="key",
        help_text="At least one. Hold Ctrl, or Command, to choose several.",
    )
    waivers = YamlField(
        of=dict,
        required=False,
        rows=2,
        help_text=explained("`rule: reason` where this card breaks a rule on purpose."),
    )
    edit = forms.ChoiceField(
        choices=CardVersion.Edit.choices,
        initial=CardVersion.Edit.MAJOR,
        help_text="A minor edit keeps the schedule of those who know the card.",
    )

    class Meta:
        model = Card
        fields = ("topic", "slug", "position", "family")
        help_texts: ClassVar = {"family": "The same name for cards of which one gives another away."}

    def __init__(self, *args: Any, answer_type: str, **kwargs: Any) -> None:
        self.last = latest_version(kwargs["instance"]) if kwargs.get("instance") else None
        self.stored = answer_of(self.last)
        self.editor = editor(answer_type, self.stored)
        shown = _stored(self.last, self.editor.initial(self.stored)) if self.last else {}
        kwargs["initial"] = {**shown, "answer_type": answer_type, **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        self.fields |= self.editor.fields(self.stored)
        self.fields["mistakes"].help_text = explained(self.editor.mistakes)

    def clean(self) -> dict[str, Any]:
        """Adds `content`. What could not be shown, graded or drawn is said at its field, unwritten."""
        values = super().clean() or {}
        if self.errors:
            return values
        content = values["content"] = self._content(values)
        for name, message in faults(CardVersion(**content)):
            self.add_error(self._field_of(name, values), message)
        return values

    def _field_of(self, name: str, values: dict[str, Any]) -> str:
        """The form's field for a field of the version; a key that is not computed stands in its settings."""
        elsewhere = bool(values.get("more")) and not values.get("compute")
        place = "more" if elsewhere else self.editor.place
        return {"answer": place, "parameters": "waivers"}.get(name, name)

    def _content(self, values: dict[str, Any]) -> dict[str, Any]:
        before = dict(self.last.parameters or {}) if self.last else {}
        kept = {name: value for name, value in before.items() if name not in BESIDE}
        parameters = {**kept, **{name: values[name] for name in BESIDE if values[name]}}
        return {
            "answer_type": values["answer_type"],
            "answer": self.editor.answer(values, self.stored),
            "prompt": values["prompt"],
            "explanation": values["explanation"],
            "parameters": parameters,
            "mistakes": values["mistakes"],
            "hints": values["hints"],
            "picture": values["picture"],
            "sources": self._sources(values["sources"]),
        }

    def _sources(self, chosen: Iterable[Source]) -> list[str]:
        """The keys of the chosen sources, those that were there before in the order they had."""
        keys = [source.key for source in chosen]
        before = [key for key in (self.last.sources if self.last else ()) if key in keys]
        return before + [key for key in keys if key not in before]


def answer_of(version: CardVersion | None) -> dict[str, Any]:
    """A version's stored answer; empty where there is no version yet."""
    return {k: v for k, v in version.answer.items() if k != "type"} if version else {}


def _stored(version: CardVersion, answer: dict[str, Any]) -> dict[str, Any]:
    """A version's content as the form shows it."""
    picture = [version.picture] if isinstance(version.picture, dict) and version.picture else version.picture
    names = ("prompt", "explanation", "mistakes", "hints", "sources")
    return {
        **{name: getattr(version, name) for name in names},
        **answer,
        "picture": picture,
        **{name: (version.parameters or {}).get(name) for name in BESIDE},
        "edit": CardVersion.Edit.MAJOR,
    }
