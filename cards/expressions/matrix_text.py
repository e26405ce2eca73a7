"""A formula as people write it beside code, made one formula, sign for sign. Reads no tree.

out = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d_k), dim=-1) @ v
      ->          softmax(q @ k.T                 /      sqrt(d_k), dim=-1) @ v
"""

import re
from collections.abc import Collection

RESULTS = frozenset({
    "attention", "attn", "sdpa", "head", "heads", "o", "out", "output", "outputs", "context", "result",
    "y", "z", "multihead", "mha", "mqa", "gqa",
})  # fmt: skip
"""What people call the result, before an =."""
_FUNCTIONS = "softmax|sqrt|exp|log|tanh|transpose|matmul|concat|concatenate|cat"
_LIBRARY = re.compile(
    rf"(?<![\w.])(?:torch\.nn\.functional|nn\.functional|jax\.nn|torch|numpy|math|jnp|np|F)\.(?=(?:{_FUNCTIONS})\b)"
)
_TURNED = re.compile(
    r"\.(?:mT|t\(\)|transpose\(\)"
    r"|(?:transpose|swapaxes|permute)\( ?(?:-1, ?-2|-2, ?-1|0, ?1|1, ?0) ?\))(?!\w)"
)
_LOW_T = re.compile(r"\^(?:t\b|\{t\}|\(T\)|\(t\))")
_LEFT = re.compile(r"(?:\\[a-zA-Z]+\{)?([A-Za-z]+)\}?(?:_\{?\w+\}?)?(?:\([\w,\\{}]*\))?")


def one_formula(text: str, declared: Collection[str], results: Collection[str] = ()) -> str:
    """The text with code and the name of the result blanked out: as long, and the rest stands where it stood.

    `declared` are the names of the question, `results` further names of what it asks for.
    """
    text = _LIBRARY.sub(_blank, _without_left(text, declared, results))
    text = _TURNED.sub(lambda found: ".T" + " " * (len(found[0]) - 2), text)
    return text if "t" in declared else _LOW_T.sub(lambda found: "^T" + " " * (len(found[0]) - 2), text)


def _without_left(text: str, declared: Collection[str], results: Collection[str]) -> str:
    """The text without `Attention(Q, K, V) =`; a $ before it stays."""
    left, sign, right = text.partition("=")
    plain = "".join(left.split()).strip("$:&").replace("\\left", "").replace("\\right", "")
    match = _LEFT.fullmatch(plain)
    if not sign or match is None or right[:1] == "=":
        return text
    name = match[1]
    known = name in declared and not plain.endswith(")")
    if known or not (name.lower() in RESULTS or name in results):
        return text
    return "".join(letter if letter == "$" else " " for letter in left) + " " + right


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
