"""An einsum equation, in whatever letters or words it is written. Knows no card file and no learner.

answer:   {type: einsum, key: "b h q d, b h k d -> b h q k", operands: [Q, K], names: {Q: [q_heads]},
           accepts: ["..."]}
mistakes: [{name, key: "b h q d, b h k d -> b h q d", says}]
`says` may use {answer} and {key}. Found without being named: other_output_order, wrong_contraction,
operands_swapped, repeated_output_axis, wrong_rank, wrong_operands, axes_swapped.
"""

from collections.abc import Mapping
from typing import Any

from cards.expressions.einsum import read_einsum
from cards.expressions.einsum_axes import REST, Einsum, in_words, program, to_mathml
from cards.grading import Example, Grade, Question, Reading, Response, Unreadable, fill, mistake_title
from cards.keys import KeyProblem
from cards.mistakes.einsums import Found, diagnose, same

OFFLINE = True
FIELDS = ("type", "key", "operands", "names", "accepts")
WORKED = ("xyz,wz->wxy", "ab,cb->ca")
"""Equations as examples; the first is hardly ever a key, so that which one is shown tells nothing."""
_ALIASES = {
    "Q": ("query", "queries"),
    "K": ("key", "keys"),
    "V": ("value", "values"),
    "WEIGHTS": ("w", "attn", "attention", "attn_weights", "probs", "p", "a"),
    "SCORES": ("s", "logits", "attn_scores"),
}


def grade(question: Question, response: Response) -> Grade:
    """Correct where the equation is a key with other names, else incorrect with what differs."""
    keys, operands = keys_of(question), operands_of(question)
    given = read_einsum(response.text, _names(question))
    key = next((one for one in keys if same(given, one, operands)), None)
    found = Found("", "", "") if key else _found(question, given, keys[0])
    right = program(key or keys[0], operands)
    return Grade(
        outcome="correct" if key else "incorrect",
        score=1.0 if key else 0.0,
        mistake=found.name,
        title=found.title or keys[0].text,
        feedback=found.says,
        read_as=_reading(given, operands).read_as,
        read_as_mathml=to_mathml(given, operands),
        key_text=keys[0].text,
        value=right if key else program(given, operands),
        key=right,
        place=found.place,
    )


def read(question: Question, text: str) -> Reading:
    """How an equation is read. Raises Unreadable."""
    return _reading(read_einsum(text, _names(question)), operands_of(question))


def _reading(given: Einsum, operands: tuple[str, ...]) -> Reading:
    """An equation in words, its terms with the names of the operands where there are as many."""
    named = operands if len(given.inputs) == len(operands) else ()
    return Reading(f"Read as {in_words(given, named)}", to_mathml(given, operands))


def question_input(question: Question) -> dict[str, Any]:
    """A worked example of another structure than the key, and the names of the operands."""
    try:
        keys = keys_of(question)
    except KeyProblem:
        keys = ()
    examples = [one for one in WORKED if not any(_alike(read_einsum(one), key) for key in keys)]
    hint = f"An equation, such as {(examples or WORKED)[0]}; letters or words"
    return {"hint": hint, "names": list(operands_of(question))}


def examples(question: Question) -> list[Example]:
    """Every key, the first in other spellings, and each named mistake's equation."""
    keys, operands = keys_of(question), operands_of(question)
    first = keys[0]
    spelled = [f'"{first.text}"', f'einsum({", ".join(operands)}, "{first.text}")']
    turned = ", ".join(" ".join(term.names) for term in reversed(first.inputs))
    if len(operands) > 1:
        call = f"{turned} -> {' '.join(first.output.names)}"
        spelled.append(f'einsum({", ".join(reversed(operands))}, "{call}")')
    right = [Example({"text": text}) for text in [*(key.text for key in keys), *spelled]]
    wrong = [Example({"text": _mistaken(m).text}, str(m.get("name", ""))) for m in question.mistakes]
    return [*right, *wrong]


def problems(question: Question) -> list[str]:
    """Mistakes that are right."""
    keys, operands = keys_of(question), operands_of(question)
    return [
        f"mistake {m.get('name')}: its equation is the key"
        for m in question.mistakes
        if any(same(_mistaken(m), key, operands) for key in keys)
    ]


def keys_of(question: Question) -> tuple[Einsum, ...]:
    """The right equations. Raises KeyProblem."""
    accepts = question.answer.get("accepts") or ()
    if not isinstance(accepts, list | tuple):
        raise KeyProblem("accepts is a list of equations")
    keys = tuple(_equation(text, "a key") for text in (question.answer.get("key"), *accepts))
    if any(len(key.inputs) != len(operands_of(question)) for key in keys):
        raise KeyProblem(f"a key has a term for each of the operands {', '.join(operands_of(question))}")
    return keys


def operands_of(question: Question) -> tuple[str, ...]:
    """What the terms stand for, in order. Raises KeyProblem."""
    operands = question.answer.get("operands")
    if (
        not isinstance(operands, list | tuple)
        or not operands
        or not all(isinstance(o, str) and o for o in operands)
    ):
        raise KeyProblem("an einsum needs operands: the names of its tensors, in order, such as [Q, K]")
    if len(set(map(str.lower, operands))) < len(operands):
        raise KeyProblem("each operand has a name of its own")
    return tuple(operands)


def _names(question: Question) -> dict[str, tuple[str, ...]]:
    """Operands with the names people write for them."""
    given = question.answer.get("names") or {}
    if not isinstance(given, Mapping):
        raise KeyProblem("names is {OPERAND: [other names]}")
    own = {one.lower() for one in operands_of(question)}
    return {
        one: tuple(a for a in (*given.get(one, ()), *_ALIASES.get(one.upper(), ())) if a.lower() not in own)
        for one in operands_of(question)
    }


def _equation(text: object, what: str) -> Einsum:
    """An author's equation, every axis named. Raises KeyProblem."""
    if not isinstance(text, str):
        raise KeyProblem(f"{what} is an equation such as 'b h q d, b h k d -> b h q k', not {text!r}")
    try:
        equation = read_einsum(text)
    except Unreadable as problem:
        raise KeyProblem(f"{what} {text!r} cannot be read: {problem.message}") from problem
    if equation.operands or any(REST in term.names for term in equation.inputs):
        raise KeyProblem(f"{what} is the equation alone, with every axis named, not {text!r}")
    return equation


def _mistaken(mistake: Mapping[str, Any]) -> Einsum:
    return _equation(mistake.get("key"), f"the key of {mistake.get('name')}")


def _found(question: Question, given: Einsum, key: Einsum) -> Found:
    """The card's own mistake that this equation is, else what comparing it with the key shows."""
    operands = operands_of(question)
    seen = diagnose(given, key, operands)
    values = {"answer": given.text, "key": key.text}
    for mistake in question.mistakes:
        if same(given, _mistaken(mistake), operands):
            says = fill(str(mistake.get("says", "")), values)
            return Found(str(mistake.get("name", "")), mistake_title(mistake, values), says, seen.place)
    return seen


def _alike(one: Einsum, other: Einsum) -> bool:
    """Whether two equations differ in names alone, whatever their operands are."""
    numbered = tuple(f"X{i}" for i in range(len(other.inputs)))
    return same(one, other, numbered)
