"""What is said of a name that is no operation of the language, and what is close to it. Knows no grammar."""

import difflib

from attention_engine.program import words

LONGEST_NAME = 40


def unknown(name: str, *, called: bool) -> str:
    """Of a name behind a dot; `called`: whether it is there and only not called."""
    if called:
        return f".{name} is called: .{name}(...)"
    if name in words.SAID_FOR:
        return f".{name} is not an operation of the language; write {words.SAID_FOR[name]}"
    near = difflib.get_close_matches(name, [*words.METHODS, *words.ATTRIBUTES], n=2, cutoff=0.6)
    hint = f"; close to it: {', '.join(near)}" if near else ""
    return f".{name[:LONGEST_NAME]} is not an operation of the language{hint}"


def no_function(name: str) -> str:
    """Of a name that is called."""
    if not name:
        return (
            "only a named function or a method is called; no layer is built: write x @ W_q, or F.softmax(...)"
        )
    near = difflib.get_close_matches(name, list(words.FUNCTIONS), n=2, cutoff=0.6)
    hint = f"; close to it: {', '.join(near)}" if near else ""
    return f"{name[:LONGEST_NAME]} is not a function of the language{hint}"
