"""A learner's program as frames: run on shapes, on tiny primes, beside the reference. Knows no grade."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from attention_engine.execution import compare
from attention_engine.execution.compare import Question, Verdict
from attention_engine.execution.hints import hint
from attention_engine.execution.listed import judge_listed
from attention_engine.execution.ran import Ran, Step
from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds.answers import program as kind
from attention_engine.program import RefusedProgram
from attention_engine.program.inputs import Sizes
from attention_engine.program.plan import OWN, SUBSTITUTED
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations.answers import program_words
from attention_engine.visualizations.answers.program_verdict import verdict_of, verdict_of_refused

MOST_ROWS = 40
LONGEST_CODE = 90
COLUMNS = ("line", "code", "shape", "outcome")


def question(spec: VisualizationSpec) -> Question:
    """The program of a spec with what it is held against."""
    told = kind.programs(spec.parameters)
    return Question(
        told[0],
        told[1] if len(told) > 1 else None,
        kind.sizes(spec.parameters),
        spec.parameters["inputs"],
        seed=spec.seed,
    )


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """run; tiny, where it ran; compare with the verdict, where there is a reference."""
    asked = question(spec)
    accepts, mistaken = (kind.listed(spec.parameters, name) for name in kind.LISTS)
    try:
        judged = judge_listed(asked, accepts=accepts, mistaken=mistaken)
    except RefusedProgram as refused:
        yield _refused(asked, refused)
        return
    asked, verdict = judged.question, judged.verdict
    yield _run(asked, verdict)
    if verdict.trial is not None and verdict.trial.yours is not None:
        yield _tiny(asked, verdict, verdict.trial.yours, verdict.trial.sizes)
    if verdict.reference is not None:
        compared = _compare(asked, verdict, verdict.reference)
        yield replace(compared, verdict=verdict_of(judged))


def _refused(asked: Question, refused: RefusedProgram) -> Frame:
    """A program that is in the language, but is not run: too large, or no tensor at its end."""
    rows: tuple[tuple[Cell, ...], ...] = (("", _short(_last_code(asked)), "", f"not run: {refused.message}"),)
    return Frame(
        step="run",
        layout="blocks",
        title=_last_code(asked),
        sentence=f"Not run to its end: {refused.message}.",
        table=Table(COLUMNS, rows),
        stamp={"device": "meta"},
        verdict=verdict_of_refused(refused) if asked.reference else {},
    )


def _run(asked: Question, verdict: Verdict) -> Frame:
    """The lines on the meta device, with the layer's own sizes."""
    ran = verdict.shapes
    failed = ran.failure
    return _ran_frame(
        ran,
        step="run",
        title=failed.statement if failed else _last_code(asked),
        sentence=_failed_sentence(ran, asked) if failed else _ran_sentence(ran),
        sizes=asked.sizes,
        device="meta",
    )


def _tiny(asked: Question, verdict: Verdict, ran: Ran, sizes: Sizes) -> Frame:
    """The same lines on small real numbers."""
    device = "meta" if ran.failure else "CPU"
    failed = ran.failure
    told = f"{_small(verdict, sizes)}: " + (
        f"{_failed_sentence(ran, asked)} With the layer's own sizes its shapes fit." if failed else _ends(ran)
    )
    title = failed.statement if failed else _last_code(asked)
    return _ran_frame(ran, step="tiny", title=title, sentence=told, sizes=sizes, device=device)


def _ran_frame(ran: Ran, *, step: str, title: str, sentence: str, sizes: Sizes, device: str) -> Frame:
    tensor = ran.tensor
    shape = () if tensor is None else tuple(tensor.shape)
    return Frame(
        step=step,
        layout="blocks",
        title=title,
        sentence=sentence,
        axes=tuple(axis_names(shape, sizes)),
        shape=shape,
        strides=() if tensor is None else tuple(tensor.stride()),
        contiguous=tensor is None or tensor.is_contiguous(),
        table=Table(COLUMNS, tuple(_rows(ran))),
        error=ran.failure.words if ran.failure else "",
        stamp={"device": device},
    )


def _rows(ran: Ran) -> Iterator[tuple[Cell, ...]]:
    """One row an operation, the last of a long program, and the one that failed."""
    kept = ran.steps[-MOST_ROWS:]
    if len(kept) < len(ran.steps):
        yield "", f"{len(ran.steps) - len(kept)} operations before", "", "run"
    for one in kept:
        yield one.line, _short(one.code), str(one.shape), _outcome(one)
    if ran.failure:
        yield ran.failure.line, _short(ran.failure.code), "", ran.failure.words


def _outcome(step: Step) -> str:
    several = f"{step.pieces} tensors" if step.pieces > 1 else "runs"
    return several if step.contiguous else f"{several}, not contiguous"


def _short(code: str) -> str:
    return code if len(code) <= LONGEST_CODE else f"{code[: LONGEST_CODE - 1]}…"


def _last_code(asked: Question) -> str:
    return asked.program.statements[-1].code


def _failed_sentence(ran: Ran, asked: Question) -> str:
    assert ran.failure is not None
    line = f"Line {ran.failure.line}, " if len(asked.program.statements) > 1 else ""
    code = _short(ran.failure.code)
    return f"{line}{code} is refused. {hint(ran.failure)}".rstrip()


def _ran_sentence(ran: Ran) -> str:
    count = len(ran.steps)
    return f"{count} operation{'' if count == 1 else 's'}: {_ends(ran)}"


def _ends(ran: Ran) -> str:
    """The shape of the result, and whether its numbers lie in its order."""
    assert ran.tensor is not None
    laid = "" if ran.tensor.is_contiguous() else ", not contiguous: its numbers lie in another order"
    return f"the result is {tuple(ran.tensor.shape)}{laid}."


def _small(verdict: Verdict, sizes: Sizes) -> str:
    """The sizes of a trial in words."""
    named = f"B = {sizes.B}, T = {sizes.T}, H = {sizes.H}, D = {sizes.D}"
    if sizes.H_kv != sizes.H:
        named += f", H_kv = {sizes.H_kv}"
    plan = verdict.plan
    if plan is not None and plan.mode == OWN:
        return f"With real numbers at the layer's own sizes, {named}"
    if plan is not None and plan.mode == SUBSTITUTED:
        read = ", ".join(f"{number:g} as {name}" for number, name in plan.stands_for.items())
        return f"{read}, then with {named}"
    return f"With {named}"


def axis_names(shape: Sequence[int], sizes: Sizes) -> Iterator[str]:
    """For each size the one axis of the layer that has it, "" where none or several have."""
    products = sizes.products
    alone = (
        "B",
        "T",
        "H",
        "D",
        *(("H_kv",) if sizes.H_kv != sizes.H else ()),
        *(("K",) if sizes.K != sizes.T else ()),
    )
    for size in shape:
        names = [name for name in alone if products[name] == size]
        joined = [name for name in ("H*D", "H_kv*D", "B*T", "B*H", "D/2") if products[name] == size]
        joined = joined[:1] if len({*joined} - {"H*D", "H_kv*D"}) == 0 else joined
        found = names or joined
        yield ("T_k" if found[0] == "K" else found[0]) if len(found) == 1 and size > 1 else ""


def _compare(asked: Question, verdict: Verdict, reference: Ran) -> Frame:
    """Yours beside the reference: shape, numbers, and the first place at which they differ."""
    assert asked.reference is not None
    return Frame(
        step="compare",
        layout="text",
        title="Yours beside the reference",
        sentence=program_words.verdict_words(asked, verdict, reference),
        table=Table(("what", "yours", "reference"), tuple(_beside(asked, verdict, reference))),
        stamp={"device": "CPU" if verdict.trial else "meta"},
    )


def _beside(asked: Question, verdict: Verdict, reference: Ran) -> Iterator[tuple[Cell, ...]]:
    assert asked.reference is not None
    yield "code", *(_short("; ".join(line.code for line in one.statements)) for one in asked.programs)
    yield "shape", program_words.shape_of(verdict.shapes), program_words.shape_of(reference)
    trial = verdict.trial
    if trial is not None and trial.yours is not None and trial.right is not None:
        yield "shape, small", program_words.shape_of(trial.yours), program_words.shape_of(trial.right)
    difference = trial.difference if trial else None
    if difference is not None:
        yield "numbers that differ", f"{difference.wrong:,} of {difference.of:,}", ""
        yield f"at {list(difference.place)}", f"{difference.yours:.6g}", f"{difference.right:.6g}"
        if difference.yours_from or difference.right_from:
            yield "taken from", difference.yours_from or "computed", difference.right_from or "computed"
    elif verdict.outcome == compare.EQUAL:
        yield "numbers that differ", "0", ""
