"""Pictures in a terminal: `python -m attention_engine head_split --model bert-base`. Needs no service."""

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NoReturn

from attention_engine import threads
from attention_engine.configs import all_models
from attention_engine.frames import Cell, Frame, Table, TensorRef
from attention_engine.spec import KINDS, Kind, Parameter, VisualizationSpec, facts, make_spec


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line and exits with 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _shape(text: str) -> list[int]:
    """ "2,4,12,64" or "(2, 4, 12, 64)" -> [2, 4, 12, 64]."""
    try:
        return [int(part) for part in text.strip("()[] ").split(",") if part.strip()]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a shape such as 2,4,12,64") from error


def _whole(text: str) -> int | str:
    """A number where it is one; what is not is refused by its parameter, in words that say what it takes."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,40}", text) else text


READERS: dict[str, Any] = {"int": _whole, "ints": _shape, "text": str, "choice": str}


def _flag(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    names = dict.fromkeys(f"--{parameter.name.replace('_', sign)}" for sign in "-_")
    reader = READERS[parameter.takes]
    default = parameter.default if parameter.default not in ("", []) else "none"
    parser.add_argument(
        *names,
        dest=parameter.name,
        type=reader,
        metavar=parameter.takes.upper(),
        help=f"{parameter.help}{_choices(parameter)} (default: {default})".replace("%", "%%"),
    )


def _choices(parameter: Parameter) -> str:
    """What may be chosen, where the help does not say it itself."""
    missing = any(choice not in parameter.help for choice in parameter.choices)
    return f": {', '.join(parameter.choices)}" if missing else ""


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="attention_engine", description="Pictures of attention, computed here.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="list|models|device|embed|KIND")
    commands.add_parser("list", help="the kinds of picture and what they take")
    commands.add_parser("models", help="the published models")
    commands.add_parser("device", help="what pictures are computed with here, and how fast")
    embedded = commands.add_parser("embed", help="how alike texts are in meaning, by MiniLM")
    embedded.add_argument("texts", nargs="+", metavar="TEXT")
    for kind in KINDS.values():
        command = commands.add_parser(kind.name, help=kind.title)
        for parameter in kind.parameters:
            _flag(command, parameter)
        command.add_argument("--seed", type=_whole, default=0, help="chance (default: 0)")
        command.add_argument("--json", action="store_true", help="one frame a line, as on the wire")
        command.add_argument("--facts", action="store_true", help="only what needs no tensor, as JSON")
    return parser


def _list() -> Iterator[str]:
    for kind in KINDS.values():
        yield f"{kind.name}  {kind.title}"
        for parameter in kind.parameters:
            yield (
                f"    --{parameter.name.replace('_', '-'):<20} {_takes(parameter):<24} "
                f"{parameter.help}{_choices(parameter)}"
            )


def _takes(parameter: Parameter) -> str:
    if parameter.takes == "choice":
        return f"name, {parameter.default}"
    names = {"int": "whole number", "ints": "shape, as 2,4,12,64", "text": "text"}
    shown = f", {parameter.default}" if isinstance(parameter.default, int) else ""
    return names[parameter.takes] + shown


def _models() -> Iterator[str]:
    for config in all_models():
        inner = config.num_heads * config.d_head
        told = f"{config.num_heads} x {config.d_head} = {inner}"
        yield f"{config.slug:<34} d_model {config.d_model:<6} {told:<20} {config.attention}"


def _device() -> Iterator[str]:
    from attention_engine.kernels import report

    told = report()
    yield f"device    {told['device']}, torch {told['torch']}"
    yield f"threads   {told['threads']} inside an operation, waiting {told['wait_policy'].lower()}"
    for name, path in told["paths"].items():
        taken = "  <- taken" if name == told["linear"] else ""
        yield f"product   {name:<13} {path['gflops']:>6.1f} GFLOP/s, error {path['error']:.1e}{taken}"
    yield f"          torch's own products go through oneDNN: {'yes' if told['flag'] else 'no'}"


def _embed(texts: Sequence[str]) -> Iterator[str]:
    """The cosine of each pair; of a lone text the first numbers of its vector."""
    from attention_engine.trained import embedding

    vectors = embedding.embed(texts)
    if len(texts) == 1:
        yield f"{len(vectors[0])} numbers of length 1: {', '.join(f'{x:.4f}' for x in vectors[0][:8])}, ..."
    for first, second in combinations(range(len(texts)), 2):
        told = float(vectors[first] @ vectors[second])
        yield f"cosine {told:+.4f}  {texts[first]!r}  {texts[second]!r}"


def _aligned(table: Table) -> Iterator[str]:
    rows: list[tuple[Cell, ...]] = [table.columns, *table.rows]
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in texts) for i in range(len(table.columns))]
    for row in texts:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _tensor(tensor: TensorRef) -> str:
    size = " x ".join(str(size) for size in tensor.shape)
    span = f"{tensor.minimum:.3g} to {tensor.maximum:.3g}"
    return f"{tensor.role}: {size}, {tensor.encoding}, {tensor.bytes} bytes, {span}"


def _shown(frame: Frame) -> Iterator[str]:
    """A frame as lines of text."""
    yield f"{frame.n} {frame.step}: {frame.title}"
    if frame.shape:
        axes = ", ".join(f"{axis} {size}" for axis, size in zip(frame.axes, frame.shape, strict=False))
        laid = f"strides {frame.strides}, {'contiguous' if frame.contiguous else 'not contiguous'}"
        yield f"    shape {frame.shape}  {axes}  {laid}"
    yield f"    {frame.sentence}"
    if frame.error:
        yield f"    error  {frame.error}"
    yield from (f"    {_tensor(tensor)}" for tensor in frame.tensors)
    yield from (f"      {line}" for line in _aligned(frame.table))


def _spec(kind: Kind, arguments: argparse.Namespace) -> VisualizationSpec:
    given = {parameter.name: getattr(arguments, parameter.name) for parameter in kind.parameters}
    set_ones = {name: value for name, value in given.items() if value is not None}
    return make_spec(kind.name, set_ones, arguments.seed)


def _draw(kind: Kind, arguments: argparse.Namespace) -> Iterator[str]:
    spec = _spec(kind, arguments)
    if arguments.facts:
        yield json.dumps(facts(spec), ensure_ascii=False)
        return
    from attention_engine.engine import render

    frames = render(spec)
    if arguments.json:
        yield from (frame.as_bytes().decode() for frame in frames)
        return
    yield kind.title
    known = facts(spec)
    shown = {name: value or known.get(name, value) for name, value in spec.parameters.items()}
    yield ", ".join(f"{name} {value}" for name, value in shown.items() if value not in ("", []))
    last: Frame | None = None
    for last in frames:
        yield ""
        yield from _shown(last)
    if last:
        stamp = last.stamp
        yield f"\nengine {stamp['engine']}, torch {stamp['torch']}, {stamp['device']}, {spec.digest()[:12]}"


def _lines(arguments: argparse.Namespace) -> Iterator[str]:
    if arguments.command == "list":
        return _list()
    if arguments.command == "models":
        return _models()
    if arguments.command == "device":
        return _device()
    if arguments.command == "embed":
        return _embed(arguments.texts)
    return _draw(KINDS[arguments.command], arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a picture; 2 where what was asked for cannot be."""
    threads.prepare()
    parser = _parser()
    parsed = parser.parse_args(arguments)
    try:
        for line in _lines(parsed):
            print(line, flush=True)
    except ValueError as error:
        parser.error(str(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
