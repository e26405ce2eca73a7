"""A formula read into a tree by a Pratt parser. Knows no card and computes nothing.

From loose to tight: relation (once), + -, then * / @ ⊙ and juxtaposition alike from left to right, a sign in
front, ^ (right to left), and ! % T behind. `1/2x` is therefore (1/2)x, as it is shown to the learner.
Work is bounded by the text's length, the number of tokens and the depth; what is left over is refused.
"""

from fractions import Fraction

from cards.expressions.maths.cursor import Cursor
from cards.expressions.maths.exact import constant
from cards.expressions.maths.expanding import expanded
from cards.expressions.maths.names import MATRIX_FUNCTIONS, Vocabulary
from cards.expressions.maths.nodes import (
    Absolute,
    Call,
    Name,
    Negative,
    Node,
    Number,
    Operation,
    Postfix,
    Relation,
)
from cards.expressions.maths.tokens import Token, tokens
from cards.grading import Unreadable

RELATIONS = ("=", "!=", "<", "<=", ">", ">=")
SUM, PRODUCT, SIGN, POWER, BEHIND = 10, 20, 25, 40, 50
_CLOSED_BY = {"(": ")", "[": "]", "{": "}", "|": "|", "⌊": "⌋", "⌈": "⌉"}
_ROUNDED = {"⌊": "floor", "⌈": "ceil"}
_SEVERAL = ("min", "max", "concat")
_STARTS = ("number", "name", "word", "function", "open", "root", "frac")


def parse(text: str, vocabulary: Vocabulary) -> Node:
    """The tree of a whole text. Raises Unreadable, its offset pointing into the text as it was typed."""
    found = tokens(text)
    return _Parser(text, expanded(found, vocabulary), vocabulary).whole()


class _Parser(Cursor):
    """One pass over the tokens, from left to right."""

    def __init__(self, text: str, found: list[Token], vocabulary: Vocabulary) -> None:
        super().__init__(text, found, vocabulary)
        self.bars = self.calls = 0
        signs = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}
        self.signs = {**signs, "@": PRODUCT, "⊙": PRODUCT} if vocabulary.matrices else signs

    def whole(self) -> Node:
        """The whole text: one expression, or two with a relation between them."""
        start = self.next.start
        left = self.expression(0)
        if not self.is_next(*RELATIONS):
            return self.finished(left)
        sign = self.take()
        if self.is_next(*RELATIONS):
            raise self.refused(self.next, "Write one sign of relation.")
        right = self.expression(0)
        return self.finished(Relation(sign.text, left, right, self.span(start)))

    def finished(self, node: Node) -> Node:
        """The node, if nothing is left over."""
        token = self.next
        if token.kind == "end":
            return node
        if token.text in RELATIONS:
            raise self.refused(token, "Write = or < once.")
        if token.text == ",":
            raise self.refused(token, "Write a decimal point, and one formula.")
        raise self.refused(token, "It is left over after the formula.")

    def expression(self, least: int) -> Node:
        """An operand with every operator behind it that binds as tightly. Refuses what is too deep."""
        self.deeper()
        start = self.next.start
        left = self.operand()
        while (longer := self.continued(left, least, start)) is not None:
            left = longer
        self.depth -= 1
        return left

    def continued(self, left: Node, least: int, start: int) -> Node | None:
        """`left` with the next operator and its right side; None where the expression ends."""
        token = self.next
        if token.kind == "sign":
            if least <= BEHIND and (longer := self.behind(left, start)) is not None:
                return longer
            if token.text == "^" and least <= POWER:
                self.take()
                return Operation("^", left, self.exponent(), self.span(start))
            binding = self.signs.get(token.text)
            if binding is None or binding < least:
                return None
            self.take()
            return Operation(token.text, left, self.expression(binding + 1), self.span(start))
        if least > PRODUCT or not self.starts_operand():
            return None
        if token.kind == "number" and _ends_in_numeral(left):
            raise self.refused(token, "Two numbers stand side by side; write the sign between them.")
        if self.is_index():
            raise self.refused(token, "An index is not read here; write the sign of a product.")
        right = self.expression(PRODUCT + 1)
        sign = "@" if self.vocabulary.matrices else "*"
        return Operation(sign, left, right, self.span(start), implicit=True)

    def starts_operand(self) -> bool:
        """Whether a factor without a sign follows."""
        return self.next.kind in _STARTS or (self.next.kind == "bar" and not self.bars)

    def is_index(self) -> bool:
        """Whether [0] or [-1] follows, which is an index to most and a factor to few."""
        inside = [token for token in self.tokens[self.position : self.position + 4] if token.text != "-"]
        texts = [token.text for token in inside]
        return texts[0] == "[" and texts[2:3] == ["]"] and inside[1].kind == "number"

    def behind(self, operand: Node, start: int) -> Node | None:
        """The operand with a sign behind it: factorial, percent or a transpose."""
        token = self.next
        if token.text == "!":
            self.take()
            if self.is_next("!"):
                raise self.refused(self.next, "Write brackets: (n!)!.")
            return Postfix("!", operand, self.span(start))
        if token.text == "%":
            self.take()
            if self.next.kind == "number" or (self.starts_operand() and not isinstance(operand, Number)):
                raise self.refused(token, "A remainder is not read here; % is a hundredth.")
            return Postfix("%", operand, self.span(start))
        return self.transposed(operand, start) if self.vocabulary.matrices else None

    def transposed(self, operand: Node, start: int) -> Node | None:
        """The operand with ⊤, ′, .T, ^T, ^⊤ or ^{⊤} behind it; None where there is none."""
        texts = [token.text for token in self.tokens[self.position : self.position + 4]]
        if texts[0] in ("⊤", "′"):
            used = 1
        elif texts[:2] in (["^", "⊤"], ["^", "′"]):
            used = 2
        elif texts in (["^", "{", "⊤", "}"], ["^", "{", "′", "}"]):
            used = 4
        else:
            return None
        self.position += used
        return Postfix("T", operand, self.span(start))

    def exponent(self) -> Node:
        """What stands after ^: perhaps a sign, then a power of its own, 2^3^2 being 2^9."""
        start = self.next.start
        if self.is_next("-", "+"):
            sign = self.take()
            self.deeper()
            inner = self.exponent()
            self.depth -= 1
            return Negative(inner, self.span(start)) if sign.text == "-" else inner
        return self.expression(POWER)

    def operand(self) -> Node:
        """One factor with the signs in front of it."""
        start = self.next.start
        if self.is_next("-", "+"):
            sign = self.take()
            operand = self.expression(SIGN)
            return Negative(operand, self.span(start)) if sign.text == "-" else operand
        return self.atom()

    def atom(self) -> Node:
        """A number, a name, a call, a root, a fraction or something in brackets."""
        token = self.next
        readers = {
            "number": self.number,
            "name": self.name,
            "function": self.call,
            "open": self.group,
            "bar": self.absolute,
            "root": self.root,
            "frac": self.fraction,
        }
        if token.kind == "word":
            raise self.undeclared(token)
        if token.kind not in readers:
            raise self.refused(token, "A number, a name or a bracket belongs here.")
        return readers[token.kind]()

    def name(self) -> Node:
        """A declared symbol or a constant."""
        token = self.take()
        return Name(token.text, self.span(token.start))

    def number(self) -> Node:
        """A numeral; among arguments 1,536 may be two."""
        token = self.take()
        if self.calls and "," in token.text:
            raise self.refused(token, "Leave a blank after the comma, or write 1536 without one.")
        return Number(token.value, self.span(token.start))

    def group(self) -> Node:
        """What stands in brackets."""
        opening = self.take()
        kept, self.bars, self.calls, calls = self.bars, 0, 0, self.calls
        inner = self.expression(0)
        self.close(opening)
        self.bars, self.calls = kept, calls
        span = self.span(opening.start)
        if opening.text == "|":
            return Absolute(inner, span)
        return Call(_ROUNDED[opening.text], (inner,), span) if opening.text in _ROUNDED else inner

    def close(self, opening: Token) -> None:
        """Passes the bracket that closes an opened one."""
        wanted = _CLOSED_BY[opening.text]
        closes = self.next.kind == "close" or (wanted == "|" and self.next.kind == "bar")
        if not closes or self.next.text != wanted:
            if self.next.kind == "close":
                raise self.refused(self.next, f"{opening.text} is closed by {wanted}.")
            raise self.refused(self.next, f"A {wanted} is missing.")
        self.take()

    def absolute(self) -> Node:
        """What stands between two bars."""
        opening = self.take()
        self.bars += 1
        inner = self.expression(0)
        if self.next.kind != "bar":
            raise self.refused(self.next, "A | is missing.")
        self.take()
        self.bars -= 1
        return Absolute(inner, self.span(opening.start))

    def root(self) -> Node:
        """√x, ∛x, \\sqrt{x}, \\sqrt[n]{x}."""
        sign = self.take()
        if sign.text == "sqrt" and self.is_next("[", kind="open"):
            opening = self.take()
            degree: Node = self.expression(0)
            self.close(opening)
        else:
            degree = Number(Fraction(sign.text) if sign.text.isdecimal() else Fraction(2))
        self.deeper()
        inner = self.atom()
        self.depth -= 1
        span = self.span(sign.start)
        square = isinstance(degree, Number) and degree.value == 2
        return Call("sqrt", (inner,), span) if square else Call("root", (inner, degree), span)

    def fraction(self) -> Node:
        """\\frac{a}{b}, \\frac12, \\frac a b."""
        sign = self.take()
        above = self.latex_argument()
        below = self.latex_argument()
        return Operation("/", above, below, self.span(sign.start))

    def latex_argument(self) -> Node:
        """A group in braces, else one token: of a numeral its first digit."""
        self.deeper()
        token = self.next
        if token.kind == "number" and len(token.text) > 1 and token.text.isdecimal():
            cut = token.start + 1
            halves = [(token.text[0], token.start, cut), (token.text[1:], cut, token.end)]
            self.tokens[self.position : self.position + 1] = [
                Token("number", text, start, end, value=Fraction(text)) for text, start, end in halves
            ]
        if token.kind == "open" and token.text != "{":
            raise self.refused(token, "Braces belong here: \\frac{a}{b}.")
        node = self.atom()
        self.depth -= 1
        return node

    def call(self) -> Node:
        """A function with its arguments in brackets, or before one factor: log(n), log n, sin^2 x."""
        function = self.take()
        power = self.power_of_function()
        if self.next.kind == "open" and self.next.text in "([{":
            arguments, options = self.arguments()
        elif function.text in (*_SEVERAL, *MATRIX_FUNCTIONS, *self.vocabulary.functions):
            raise self.refused(self.next, f"{function.text} is followed by brackets.")
        else:
            arguments, options = [self.bare_argument(function)], ()
        call = self.called(function, arguments, options)
        return call if power is None else Operation("^", call, power, self.span(function.start))

    def power_of_function(self) -> Node | None:
        """The 2 of sin^2 x."""
        if not self.is_next("^"):
            return None
        self.take()
        exponent = self.exponent()
        if isinstance(exponent, Number) and exponent.value > 0:
            return exponent
        raise self.refused(self.tokens[self.position - 1], "Write the power behind the brackets.")

    def bare_argument(self, function: Token) -> Node:
        """One factor; after a numeral also the name behind it: sin 2x."""
        if self.next.kind == "end" or (self.next.kind == "sign" and not self.is_next("-")):
            raise self.refused(self.next, f"{function.text} is followed by brackets.")
        start, numeral = self.next.start, self.next.kind == "number"
        first = self.expression(SIGN)
        if function.text == "sqrt" or not numeral or self.next.kind not in ("name", "root", "frac"):
            return first
        return Operation("*", first, self.expression(SIGN), self.span(start), implicit=True)

    def arguments(self) -> tuple[list[Node], tuple[tuple[str, Fraction], ...]]:
        """What stands in the brackets of a call, and its options such as axis=0."""
        opening = self.take()
        kept, self.bars, calls, self.calls = self.bars, 0, self.calls, self.calls + 1
        found: list[Node] = []
        options: list[tuple[str, Fraction]] = []
        while True:
            if self.is_option():
                if options:
                    raise self.refused(self.next, "An axis is named once.")
                options.append(self.option())
            else:
                found.append(self.expression(0))
            if not self.is_next(",", ";"):
                break
            self.take()
        self.close(opening)
        self.bars, self.calls = kept, calls
        return found, tuple(options)

    def is_option(self) -> bool:
        """Whether axis= or dim= follows."""
        after = self.tokens[min(self.position + 1, len(self.tokens) - 1)]
        named = self.next.text in ("axis", "dim") and after.text == "="
        return self.vocabulary.matrices and named

    def option(self) -> tuple[str, Fraction]:
        """axis=0 or dim=-1; both are called axis."""
        self.position += 2
        sign = -1 if self.is_next("-") else 1
        if sign < 0:
            self.take()
        if self.next.kind != "number":
            raise self.refused(self.next, "An axis is a whole number.")
        return "axis", sign * self.take().value

    def called(
        self, function: Token, arguments: list[Node], options: tuple[tuple[str, Fraction], ...]
    ) -> Node:
        """The node of a call. Refuses a wrong number of arguments."""
        span = self.span(function.start)
        name, most = function.text, 1
        axis = constant(arguments[1]) if name == "softmax" and len(arguments) == 2 and not options else None
        if axis is not None:
            arguments, options = arguments[:1], (("axis", axis),)
        if name in _SEVERAL or name in self.vocabulary.functions:
            most = len(arguments)
        elif name == "log":
            most = 2
        if not arguments or len(arguments) > most:
            raise Unreadable(
                f"{name} takes {most} argument{'s' if most > 1 else ''}, not {len(arguments)}.", span[0]
            )
        if name == "log" and function.value in (2, 10):
            name = f"log{function.value}"
        elif name == "log" and function.value:
            arguments.append(Number(function.value))
        if name == "abs":
            return Absolute(arguments[0], span)
        if name == "transpose":
            return Postfix("T", arguments[0], span)
        return Call("log" if name == "ln" else name, tuple(arguments), span, options)


def _ends_in_numeral(node: Node) -> bool:
    """Whether the last factor is a numeral as it stands, so that another one behind it is no product."""
    if isinstance(node, Operation) and node.implicit:
        node = node.right
    return isinstance(node, Number)
