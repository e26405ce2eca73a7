"""How long verdicts take, warm: `python -m tests.attention_engine.timed_programs` prints the slowest ones."""

import sys
import time

import torch

from attention_engine.execution.compare import judge
from attention_engine.execution.warm import warm
from attention_engine.program import ProgramFault
from attention_engine.program.inputs import Sizes
from tests.attention_engine.hostile_programs import ALL as HOSTILE
from tests.attention_engine.programs import BERT, GROUPS, question


def timed(text: str, reference: str, sizes: Sizes = BERT) -> tuple[str, float]:
    """(outcome or "refused", CPU milliseconds) of a program."""
    started = time.process_time()
    try:
        outcome = judge(question(text, reference, sizes)).outcome
    except ProgramFault:
        outcome = "refused"
    return outcome, (time.process_time() - started) * 1000


def main() -> None:
    """The slowest of what is equal, of what is wrong and of what is hostile; the best of three runs each."""
    torch.set_num_threads(1)
    warm()
    told = {
        "equal": [(text, one.reference, one.sizes) for one in GROUPS for text in (one.reference, *one.equal)],
        "wrong": [(text, one.reference, one.sizes) for one in GROUPS for text in one.wrong],
        "hostile": [(text, "q", BERT) for text in HOSTILE],
    }
    for name, programs in told.items():
        spent = sorted((min(timed(*one)[1] for _ in range(3)), one[0]) for one in programs)
        middle, (most, text) = spent[len(spent) // 2][0], spent[-1]
        told_of = f"median {middle:5.1f} ms  most {most:5.1f} ms  {text[:60]!r}"
        sys.stdout.write(f"{name:<8} {len(spent):>4} programs  {told_of}\n")


if __name__ == "__main__":
    main()
