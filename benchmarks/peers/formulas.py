"""Two graders of formulas that others use: sympy's `.equals` and Math-Verify. Each call ends after 5 s."""

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import FrameType

SECONDS = 5
Judge = Callable[[str, str], bool | None]


def judges() -> dict[str, Judge]:
    """Those that are installed, by name."""
    known = {"sympy .equals": ("sympy", _sympy), "Math-Verify": ("math_verify", _math_verify)}
    return {name: make() for name, (module, make) in known.items() if find_spec(module)}


def missing() -> list[str]:
    """Packages that are not installed."""
    return [module for module in ("sympy", "math_verify") if not find_spec(module)]


def _sympy() -> Judge:
    """On text in Python's notation."""
    import sympy
    from sympy.parsing.sympy_parser import implicit_multiplication_application as implicit
    from sympy.parsing.sympy_parser import parse_expr, standard_transformations

    names = {letter: sympy.Symbol(letter) for letter in "abcdhkmnqtvxyz"}

    def judge(a: str, b: str) -> bool | None:
        with _bounded():
            left, right = (
                parse_expr(text, local_dict=names, transformations=(*standard_transformations, implicit))
                for text in (a, b)
            )
            same = left.equals(right)
            return None if same is None else bool(same)
        return None

    return judge


def _math_verify() -> Judge:
    """On LaTeX."""
    import math_verify

    logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns that its own timeout is off

    def judge(a: str, b: str) -> bool | None:
        with _bounded():
            left, right = (math_verify.parse(f"${text}$", parsing_timeout=None) for text in (a, b))
            return bool(math_verify.verify(left, right, timeout_seconds=None))
        return None

    return judge


@contextmanager
def _bounded() -> Iterator[None]:
    """Ends the block after SECONDS, or at any error of the peer; it then counts as no verdict."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    except Exception:
        pass
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
