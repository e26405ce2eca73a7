"""The names people give to axes and widths, and what each stands for. Knows no card; reads no text."""

from collections.abc import Mapping

ALIASES = {
    "B": ("b", "batch", "batch_size", "n"),
    "T": ("t", "tokens", "seq", "seq_len", "sequence", "length", "l", "s", "t_q", "tq"),
    "S": ("t_k", "tk", "key_tokens", "kv_tokens"),
    "H": ("h", "heads", "num_heads", "n_heads", "nh", "n_head"),
    "H_kv": ("h_kv", "hkv", "kv_heads", "num_kv_heads", "n_kv_heads", "g"),
    "D": ("d", "d_head", "dh", "d_k", "dk", "head_dim", "d_h", "hs"),
    "d_model": ("d_model", "dmodel", "c", "e", "embed_dim", "n_embd", "hidden", "hidden_size"),
}
_AXIS_OF = {alias: axis for axis, aliases in ALIASES.items() for alias in aliases}
_LETTERS = frozenset("BNTLSHD")
LONGEST_RUN = 3


class Ambiguous(ValueError):
    """A name that people use for two things; the message says which and how to write each."""


def axes_of(word: str, sizes: Mapping[str, int]) -> tuple[str, ...]:
    """The axes a word multiplies: ("D",) for d_head, ("H", "D") for HD, () for a word nobody uses.

    A name that `sizes` declares stands for itself. Letters run together count in upper case only. Raises
    Ambiguous for `hd` (head dimension or H*D) and for runs that are also a name, such as DH.
    """
    if word in sizes:
        return (word,)
    lower = word.lower()
    if lower == "hd" and word != "HD":
        raise Ambiguous(f"{word} may be H*D or d_head; write the one you mean.")
    if is_run(word):
        if lower in _AXIS_OF:
            raise Ambiguous(f"{word} may be {'*'.join(word)} or {lower}; write the one you mean.")
        return tuple(axis for letter in word for axis in axes_of(letter, sizes))
    if lower == "s" and "S" in sizes:
        return ("S",)
    return (_AXIS_OF[lower],) if lower in _AXIS_OF else ()


def is_run(word: str) -> bool:
    """Whether a word is axis letters run together: HD, BT."""
    return 1 < len(word) <= LONGEST_RUN and set(word) <= _LETTERS


def is_name(word: str) -> bool:
    """Whether people use this word for an axis, or for several run together."""
    return word.lower() in _AXIS_OF or is_run(word)


def same_name(word: str, name: str) -> bool:
    """Whether two names stand for the same axis, or are the same word."""
    one, other = word.lower(), name.lower()
    return one == other or (one in _AXIS_OF and _AXIS_OF[one] == _AXIS_OF.get(other))
