"""What a formula card declares, read once: symbols, keys, mistakes and what they lead to. Grades nothing."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from cards.expressions.maths import Node, Rules, Vocabulary, equal, parse
from cards.expressions.maths.comparing import agree
from cards.expressions.maths.measured import Measured, Unusable
from cards.expressions.maths.nodes import Relation, postorder
from cards.expressions.maths.points import DOMAINS, compiled, points
from cards.expressions.maths.relations import cross_ratio
from cards.grading import Question, Unreadable
from cards.keys import KeyProblem
from cards.mistakes import Transform
from cards.mistakes.formula_keys import FormulaKey
from cards.mistakes.formulas import BANK

PROBES = 2
"""Points at which candidates are compared before they are compared in full."""
MOST_CANDIDATES = 300
MOST_NODES = 60
"""Parts of a key that the bank is tried on; a longer one has only its own mistakes."""
BANK_BY_NAME: Mapping[str, Transform[FormulaKey]] = {one.name: one for one in BANK}
Probe = tuple[Measured | None, ...]


@dataclass(frozen=True)
class Candidate:
    """A wrong formula and the mistake it stands for (its row on the card, or made of the bank's words)."""

    mistake: Mapping[str, Any]
    node: Node
    probe: Probe

    def near(self, probe: Probe, rules: Rules) -> bool:
        """Whether the probed values are the same, at one point at least."""
        pairs = [(a, b) for a, b in zip(probe, self.probe, strict=False) if a is not None and b is not None]
        return bool(pairs) and all(agree(a, b, rules) for a, b in pairs)


@dataclass(frozen=True)
class FormulaCard:
    """The declared symbols and rules, the right formulas (the key first), and the card's mistakes."""

    vocabulary: Vocabulary
    rules: Rules
    key_text: str
    keys: tuple[Node, ...]
    mistakes: tuple[Mapping[str, Any], ...] = field(default=())

    def read(self, text: str) -> Node:
        """A learner's formula. Raises Unreadable."""
        return parse(text, self.vocabulary)

    def right(self, node: Node) -> bool | None:
        """Whether a formula is one of the right ones; None where that cannot be settled."""
        verdicts = [equal(node, key, self.rules) for key in self.keys]
        return True if True in verdicts else None if None in verdicts else False

    def mistake_of(self, node: Node, *, settled: bool = True) -> Mapping[str, Any]:
        """The first mistake whose formula this is: the card's own before the bank's. Empty where none fits.

        Only for a formula that is not right: candidates that happen to be right are not sorted out. Where
        that is not `settled` the bank's are left out: x^2 < y^2 may well be x < y.
        """
        mine = self.probe(node)
        for candidate in self.candidates() if settled else self.listed:
            if candidate.near(mine, self.rules) and equal(node, candidate.node, self.rules):
                return candidate.mistake
        return {}

    def candidates(self) -> Iterator[Candidate]:
        """Every formula that is foreseen as wrong, in the order in which they are tried."""
        yield from self.listed
        yield from self.banked

    @cached_property
    def listed(self) -> tuple[Candidate, ...]:
        """What the card's own mistakes lead to."""
        return self._candidates((row, node) for row in self.mistakes for node in self.of_mistake(row))

    @cached_property
    def banked(self) -> tuple[Candidate, ...]:
        """What the mistakes of the bank lead to that the card does not list."""
        names = {row.get("name") for row in self.mistakes}
        bank = [one for one in BANK if one.name not in names]
        rows = [({"name": one.name, "title": one.title, "says": one.says}, one) for one in bank]
        return self._candidates((row, node) for row, one in rows for node in self._made(one))

    def _candidates(self, rows: Iterable[tuple[Mapping[str, Any], Node]]) -> tuple[Candidate, ...]:
        return tuple(Candidate(row, node, self.probe(node)) for row, node in islice(rows, MOST_CANDIDATES))

    def probe(self, node: Node) -> Probe:
        """A formula's values at a few points of all symbols, None where it has none; a relation's number."""
        names = tuple(sorted(self.vocabulary.symbols))
        if isinstance(node, Relation):
            number = cross_ratio(node, self.rules, names)
            return (None if number is None else (number, 1e-7 * abs(number)),)
        steps, found = compiled(node), list[Measured | None]()
        for seed, point in enumerate(points(names, self.rules.of(names))[:PROBES]):
            try:
                found.append(steps.at(point, seed))
            except Unusable:
                found.append(None)
        return tuple(found)

    def of_mistake(self, mistake: Mapping[str, Any]) -> Iterator[Node]:
        """The formulas of a mistake of the card: its own key, or what the bank makes of its name."""
        if "key" in mistake:
            yield self.own(mistake["key"], f"mistake {mistake.get('name')}")
        elif mistake.get("name") in BANK_BY_NAME:
            yield from self._made(BANK_BY_NAME[str(mistake["name"])])

    def own(self, text: object, what: str) -> Node:
        """A formula of the author's. Raises KeyProblem naming it."""
        return _authors(text, self.vocabulary, what)

    def _made(self, transform: Transform[FormulaKey]) -> Iterator[Node]:
        if len(postorder(self.keys[0])) > MOST_NODES:
            return
        key = FormulaKey(self.keys[0], self.vocabulary.symbols)
        yield from (one.node for one in transform.of(key))


def card_of(question: Question) -> FormulaCard:
    """What a question declares. Raises KeyProblem."""
    try:
        stated = json.dumps([dict(question.answer), [dict(one) for one in question.mistakes]])
    except (TypeError, ValueError) as problem:
        raise KeyProblem(f"a formula card holds texts and numbers only: {problem}") from problem
    return _card(stated)


@lru_cache(maxsize=256)
def _card(stated: str) -> FormulaCard:
    answer, mistakes = json.loads(stated)
    vocabulary = Vocabulary(
        _symbols(answer.get("symbols", {})), tuple(map(str, answer.get("functions") or ()))
    )
    text = answer.get("key")
    key = _authors(text, vocabulary, "key")
    accepts = answer.get("accepts") or []
    if not isinstance(accepts, list):
        raise KeyProblem("accepts is a list of formulas")
    others = tuple(_authors(one, vocabulary, "accepts") for one in accepts)
    rules = Rules(
        _domains(answer.get("domain", "positive"), vocabulary), _close(answer), vocabulary.functions
    )
    return FormulaCard(vocabulary, rules, str(text), (key, *others), tuple(mistakes))


def _authors(text: object, vocabulary: Vocabulary, what: str) -> Node:
    if not isinstance(text, str):
        raise KeyProblem(f"{what}: a formula is a text, not {text!r}")
    try:
        return parse(text, vocabulary)
    except Unreadable as problem:
        raise KeyProblem(f"{what}: {problem.message}") from problem


def _symbols(stated: object) -> dict[str, tuple[str, ...]]:
    """Declared names with their aliases, from a mapping or a list."""
    if isinstance(stated, Sequence) and not isinstance(stated, str):
        return {str(name): () for name in stated}
    if not isinstance(stated, Mapping):
        raise KeyProblem("symbols is {name: [aliases]} or a list of names")
    return {str(name): _aliases(name, listed) for name, listed in stated.items()}


def _aliases(name: object, listed: object) -> tuple[str, ...]:
    if listed is None:
        return ()
    if isinstance(listed, str):
        return (listed,)
    if not isinstance(listed, Sequence):
        raise KeyProblem(f"the aliases of {name} are a list of names")
    return tuple(map(str, listed))


def _domains(stated: object, vocabulary: Vocabulary) -> dict[str, str]:
    """The domain of each symbol. Raises KeyProblem for one nobody knows and for a symbol not declared."""
    every = dict.fromkeys(vocabulary.symbols, "positive")
    each = every | (dict(stated) if isinstance(stated, Mapping) else dict.fromkeys(every, stated))
    for name, domain in each.items():
        if domain not in DOMAINS or name not in vocabulary.symbols:
            raise KeyProblem(
                f"domain of {name}: {domain!r}; there are {', '.join(DOMAINS)} of declared symbols"
            )
    return {str(name): str(domain) for name, domain in each.items()}


def _close(answer: Mapping[str, Any]) -> Fraction | None:
    """The relative distance that is near enough; None where floats are exact."""
    stated = answer.get("floats", "exact")
    if stated == "exact":
        return None
    if not isinstance(stated, Mapping) or set(stated) != {"close"}:
        raise KeyProblem(f"floats is exact or {{close: 0.001}}, not {stated!r}")
    try:
        return abs(Fraction(str(stated["close"])))
    except (ValueError, ZeroDivisionError) as problem:
        raise KeyProblem(f"floats: {stated['close']!r} is not a number") from problem
