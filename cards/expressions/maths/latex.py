"""What LaTeX commands and Unicode signs of mathematics stand for. Reads nothing itself."""

from cards.expressions.maths.names import GREEK

SIGNS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "odot": "⊙", "circ": "⊙",
    "le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=",
    "lt": "<", "gt": ">", "ne": "!=", "neq": "!=", "top": "⊤", "intercal": "⊤", "%": "%", "prime": "′",
}  # fmt: skip
"""Commands that are one sign."""
OPENING = {"lbrace": "{", "{": "{", "lbrack": "[", "lvert": "|", "lfloor": "⌊", "lceil": "⌈"}
CLOSING = {"rbrace": "}", "}": "}", "rbrack": "]", "rvert": "|", "rfloor": "⌋", "rceil": "⌉"}
FRACTIONS = frozenset({"frac", "tfrac", "dfrac", "cfrac"})
SKIPPED = frozenset({
    ",", ";", ":", "!", ">", " ", "quad", "qquad", "enspace", "thinspace", "displaystyle", "textstyle",
    "limits", "nolimits", "mathstrut", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr",
    "big", "Big", "bigg", "Bigg", "mathopen", "mathclose", "mathbin", "mathrel", "mathord",
})  # fmt: skip
"""Commands that only space or size what follows."""
WORDED = frozenset({
    "text", "textrm", "textit", "textbf", "textsf", "texttt", "mathrm", "mathit", "mathbf", "mathsf",
    "mathtt", "mathcal", "mathbb", "boldsymbol", "bm", "operatorname", "mbox",
})  # fmt: skip
"""Commands whose braces hold a name."""
NAMED = frozenset({"exp", "log", "ln", "lg", "sin", "cos", "tan", "tanh", "min", "max", *GREEK.values()})
"""Commands that are a word."""
UNICODE_SIGNS = {
    "≤": "<=", "⩽": "<=", "≦": "<=", "≥": ">=", "⩾": ">=", "≧": ">=", "≠": "!=", "⊙": "⊙", "∘": "⊙", "⊤": "⊤",
    "′": "′", "⊺": "⊤", "@": "@",
}  # fmt: skip
RAISED_LETTERS = {"ᵀ": "⊤", "ᵗ": "⊤", "ⁿ": "n", "ᵏ": "k", "ˣ": "x", "ᵈ": "d", "ᵐ": "m", "ⁱ": "i", "ʰ": "h"}
"""Letters written above the line."""
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True))
"""Letters and digits written below the line."""
ROOT = "\ue000"
"""Stands for √ while signs are made plain, so that it stays one sign."""
ROOTS = {ROOT: "2", "∛": "3", "∜": "4"}
