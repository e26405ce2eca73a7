"""What a program is given: tensors by name with their shapes, and a layer's sizes. Holds no numbers."""

import ast
import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property

from attention_engine.program.faults import UnreadableProgram
from attention_engine.program.reader import dotted
from attention_engine.program.syntax import Program


@dataclass(frozen=True)
class Sizes:
    """Sizes of one attention layer; d_model is H * D by convention, not by law."""

    B: int
    T: int
    K: int
    """Tokens that keys and values come from: T within one text."""
    H: int
    H_kv: int
    D: int
    C: int
    """d_model."""

    @cached_property
    def products(self) -> dict[str, int]:
        """Every size a shape may have, by the name it has in a sentence; one name for equal things."""
        base = {field.name: getattr(self, field.name) for field in fields(self)}
        base["G"] = self.H // self.H_kv
        base |= {"H*D": self.H * self.D, "H_kv*D": self.H_kv * self.D, "B*T": self.B * self.T}
        base |= {"B*H": self.B * self.H, "B*H_kv": self.B * self.H_kv, "D/2": self.D // 2}
        base["(H+2*H_kv)*D"] = (self.H + 2 * self.H_kv) * self.D
        base["3*H*D"] = 3 * self.H * self.D
        return base | {"T_k": self.K}

    def of(self, symbols: str) -> tuple[int, ...]:
        """ "B H T D" -> (2, 12, 4, 64)."""
        known = self.products
        return tuple(int(symbol) if symbol.isdigit() else known[symbol] for symbol in symbols.split())


ALIASES = {
    **dict.fromkeys(("B", "b", "batch", "batch_size", "bs", "bsz"), "B"),
    **dict.fromkeys(("T", "t", "tokens", "seq_len", "seq", "L", "T_q", "t_q"), "T"),
    **dict.fromkeys(("T_k", "t_k", "key_tokens", "S", "kv_len"), "K"),
    **dict.fromkeys(("H", "h", "num_heads", "n_heads", "n_head", "heads", "nh"), "H"),
    **dict.fromkeys(("H_kv", "h_kv", "num_kv_heads", "n_kv_heads", "kv_heads", "n_kv"), "H_kv"),
    **dict.fromkeys(("G", "g", "groups", "n_rep", "group_size", "num_groups"), "G"),
    **dict.fromkeys(("D", "d", "d_head", "head_dim", "dh", "d_k", "d_h", "hd", "hs"), "D"),
    **dict.fromkeys(("d_model", "C", "c", "dim", "embed_dim", "hidden_size", "n_embd", "E"), "C"),
}
"""Sizes by the names that published code gives them."""

_ROWS = {"q": "B T H*D", "k": "B K H_kv*D", "v": "B K H_kv*D"}
_HEADS = {"q": "B H T D", "k": "B H_kv K D", "v": "B H_kv K D"}
_ALWAYS = {
    "x": "B T C",
    "qkv": "B T (H+2*H_kv)*D",
    "out": "B H T D",
    "scores": "B H T K",
    "weights": "B H T K",
    "mask": "T K",
    "k_cache": "B H_kv K D",
    "v_cache": "B H_kv K D",
    "q_new": "B H 1 D",
    "k_new": "B H_kv 1 D",
    "v_new": "B H_kv 1 D",
    "cos": "T D",
    "sin": "T D",
    "W_q": "C H*D",
    "W_k": "C H_kv*D",
    "W_v": "C H_kv*D",
    "W_o": "H*D C",
    "W_qkv": "C (H+2*H_kv)*D",
}
SPELLED = {
    **{f"{letter}_{name}": f"W_{name}" for letter in "Ww" for name in ("q", "k", "v", "o", "qkv")},
    **{f"{letter}{name}": f"W_{name}" for letter in "Ww" for name in ("q", "k", "v", "o", "qkv")},
    **{f"W_{name}": f"W_{name.lower()}" for name in ("Q", "K", "V", "O", "QKV")},
    **{"Q": "q", "K": "k", "V": "v", "X": "x", "past_k": "k_cache", "past_v": "v_cache"},
}
NAMES = (*_HEADS, *_ALWAYS)
ROWS, HEADS = "rows", "heads"


def meant(name: str) -> str:
    """The input a name stands for: "W_Q" -> "W_q"."""
    return SPELLED.get(name, name)


def symbols_of(name: str, layout: str) -> str:
    """Axes of an input: symbols_of("q", "heads") = "B H T D"; "" for what is no tensor."""
    table = _ALWAYS | (_ROWS if layout == ROWS else _HEADS)
    return table.get(meant(name), "")


def check(program: Program) -> None:
    """Raises UnreadableProgram for the first name that is neither given nor assigned before."""
    for node in _names(program):
        if node.id in program.reads and node.id not in ALIASES and not symbols_of(node.id, ROWS):
            assigned = {target for statement in program.statements for target in statement.targets}
            if node.id in assigned:
                said = f"{node.id} is read before it is assigned"
            elif node.id in {"np", "numpy"}:
                said = f"{node.id} is not there: write math.sqrt for a number, .sqrt() for a tensor"
            else:
                near = difflib.get_close_matches(node.id, [*NAMES, *ALIASES], n=2, cutoff=0.5)
                hint = f"; close to it: {', '.join(near)}" if near else ""
                said = (
                    f"{node.id} is not given. Given are {', '.join(NAMES[:4])}, B, T, H, D and others{hint}"
                )
            raise UnreadableProgram(f"line {node.lineno}: {said}", program.offset(node))


def check_given(program: Program, tensors: Collection[str]) -> None:
    """Raises UnreadableProgram for the first tensor that is none of these, spelled as here."""
    for node in _names(program):
        if node.id in program.reads and node.id not in tensors and symbols_of(node.id, ROWS):
            given = f"given here: {', '.join(tensors)}" if tensors else "and no tensor is given here"
            raise UnreadableProgram(f"line {node.lineno}: {node.id} is not {given}", program.offset(node))


def _names(program: Program) -> Iterator[ast.Name]:
    """Names in the order in which they are written."""
    found = [n for line in program.statements for n in ast.walk(line.value) if isinstance(n, ast.Name)]
    return iter(sorted(found, key=lambda node: (node.lineno, node.col_offset)))


def layout_of(programs: tuple[Program, ...]) -> str:
    """Whether q, k and v come as rows (B, T, H*D) or in heads (B, H, T, D): by the first use that tells."""
    for program in programs:
        for statement in program.statements:
            for node in ast.walk(statement.value):
                told = _told(node, targets=statement.targets if node is statement.value else ())
                if told:
                    return told
    return HEADS


def _told(node: ast.AST, *, targets: tuple[str, ...]) -> str:
    """ "rows" or "heads" where a node cuts up q, k or v, else ""."""
    if isinstance(node, ast.Attribute) and node.attr == "shape" and _given(node.value):
        return {3: ROWS, 4: HEADS}.get(len(targets), "")
    if not isinstance(node, ast.Call):
        return ""
    name = dotted(node.func).rpartition(".")[2] if dotted(node.func) else getattr(node.func, "attr", "")
    of_method = isinstance(node.func, ast.Attribute) and _given(node.func.value)
    arguments = node.args if of_method else node.args[1:]
    if name == "einsum":
        return _by_letters(node)
    if not of_method and not (node.args and _given(node.args[0])):
        return ""
    return _cut(name, arguments)


def _given(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and meant(node.id) in _HEADS


def _cut(name: str, arguments: list[ast.expr]) -> str:
    """What cutting q by such a call says of its shape."""
    first = arguments[0] if arguments else None
    if name in {"rearrange", "repeat", "reduce"} and isinstance(first, ast.Constant):
        return _by_axes(str(first.value))
    if name in {"view", "reshape"}:
        sizes = first.elts if isinstance(first, ast.Tuple | ast.List) and len(arguments) == 1 else arguments
        return HEADS if len(sizes) in {2, 3} or _keys_second(sizes) else ROWS
    if name == "unflatten":
        return HEADS if isinstance(first, ast.Constant) and first.value == 1 else ROWS
    if name == "chunk":
        return HEADS if isinstance(first, ast.Constant) and first.value == 2 else ROWS
    if name == "split":
        return ROWS
    return HEADS if name in {"transpose", "swapaxes", "movedim", "permute"} and len(arguments) != 3 else ""


def _keys_second(sizes: list[ast.expr]) -> bool:
    """view(B, H_kv, G, T, D): the heads stand before the tokens already."""
    return len(sizes) == 5 and isinstance(sizes[1], ast.Name) and ALIASES.get(sizes[1].id) in {"H", "H_kv"}


def _by_axes(pattern: str) -> str:
    left, axes, inside = pattern.partition("->")[0], 0, False
    for part in left.replace("(", " ( ").replace(")", " ) ").split():
        axes += not inside and part != ")"
        inside = part == "(" or (inside and part != ")")
    return {3: ROWS, 4: HEADS}.get(axes, "")


def _by_letters(node: ast.Call) -> str:
    pattern = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ""
    terms = str(pattern).partition("->")[0].split(",")
    for term, argument in zip(terms, node.args[1:], strict=False):
        if _given(argument):
            return {3: ROWS, 4: HEADS}.get(len(term.replace(" ", "")), "")
    return ""


def shapes(
    names: Mapping[str, None] | tuple[str, ...], sizes: Sizes, layout: str
) -> dict[str, tuple[int, ...]]:
    """Shapes of the tensors among the names a program reads."""
    told = ((name, symbols_of(name, layout)) for name in names)
    return {name: sizes.of(symbols) for name, symbols in told if symbols}
