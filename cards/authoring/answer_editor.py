"""What an editor of an answer is: form fields, and the way to them and back. Knows no type of answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

Fields = dict[str, forms.Field]
Values = dict[str, Any]
Stored = Mapping[str, Any]


@dataclass(frozen=True)
class Editor:
    """Form fields for a stored answer, their values, and the answer from what was typed.

    `place` is the field where a fault of the answer is said, `mistakes` tells how its mistakes are written.
    """

    fields: Callable[[Stored], Fields]
    initial: Callable[[Stored], Values]
    answer: Callable[[Values, Stored], Values]
    place: str
    mistakes: str = ""

    def keeps(self, stored: Stored) -> bool:
        """Whether a stored answer comes back as it is when nobody changes a field."""
        fields, initial = self.fields(stored), self.initial(stored)
        shown = {
            name: field.prepare_value(initial.get(name, field.initial)) for name, field in fields.items()
        }
        try:
            return (
                self.answer({name: fields[name].clean(value) for name, value in shown.items()}, stored)
                == stored
            )
        except forms.ValidationError:
            return False
