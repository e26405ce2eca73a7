"""YAML, and Markdown below YAML front matter, read with faults named by line. Knows no card."""

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

MAX_BYTES = 256 * 1024
MAX_DEPTH = 16
LARGEST = 2**63 - 1


class ContentProblem(ValueError):
    """A content file that cannot be read; the message begins with its path and line."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path.parent.name}/{path.name}:{line}: {message}")
        self.path, self.line = path, line


def read_text(path: Path) -> str:
    """A file's text, with its size bounded and its line ends made one kind."""
    raw = path.read_bytes()
    if len(raw) > MAX_BYTES:
        raise ContentProblem(path, 1, f"{len(raw):,} bytes are over the limit of {MAX_BYTES:,}")
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ContentProblem(path, raw[: error.start].count(b"\n") + 1, "the file is not UTF-8") from error


def read_front_matter(path: Path) -> tuple[dict[str, Any], str, int]:
    """Front matter, body, and the line the body starts on."""
    lines = read_text(path).split("\n")
    if lines[0].rstrip() != "---" or "---" not in (rest := [line.rstrip() for line in lines[1:]]):
        raise ContentProblem(path, 1, "the file starts with front matter between two lines of ---")
    end = rest.index("---") + 1
    front = parse_yaml(path, "\n".join(lines[1:end]), 2)
    if not isinstance(front, Mapping):
        raise ContentProblem(path, 2, "front matter is a list of `name: value` lines")
    return dict(front), "\n".join(lines[end + 1 :]).strip("\n"), end + 2


def _keepable(value: Any) -> Any:
    """A value that every database keeps. Raises ValueError otherwise."""
    if isinstance(value, str) and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
        raise ValueError(f"NUL and half a character cannot be kept: {ascii(value)[:40]}")
    if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:  # not-a-number is not within
        raise ValueError(f"the number {str(value)[:20]} cannot be kept")
    return value


class _Loader(yaml.SafeLoader):
    """The safe loader, with aliases and doubled names refused: neither makes a file easier to read."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not used here", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """A value, refused on its own line where no database keeps it."""
        try:
            value = super().construct_object(node, deep=deep)
            return _keepable(value) if isinstance(node, yaml.ScalarNode) else value
        except ValueError as error:
            raise yaml.MarkedYAMLError(problem=str(error), problem_mark=node.start_mark) from error

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[Any] = set()
        for key, _ in node.value:
            if isinstance(key.value, str) and key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"{key.value} is given twice", problem_mark=key.start_mark)
            seen.add(key.value if isinstance(key.value, str) else id(key))
        return super().construct_mapping(node, deep=deep)


def parse_yaml(path: Path, text: str, first_line: int) -> Any:
    """YAML as JSON values (dates become text). Raises ContentProblem with the line."""
    try:
        return _jsonable(yaml.load(text, Loader=_Loader))  # noqa: S506  (a SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = first_line + (error.problem_mark.line if error.problem_mark else 0)
        raise ContentProblem(path, line, str(error.problem or error.context)) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ContentProblem(path, first_line, str(error).splitlines()[0]) from error


def _jsonable(value: Any, depth: int = 0) -> Any:
    """The value as JSON. Raises ValueError for one that has no such form."""
    if depth > MAX_DEPTH:
        raise ValueError(f"values are nested at most {MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        return {str(k): _jsonable(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list):
        return [_jsonable(one, depth + 1) for one in value]
    if isinstance(value, datetime.date):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(f"a value of type {type(value).__name__} cannot be kept")


def refuse_unknown(path: Path, front: Mapping[str, Any], known: frozenset[str]) -> None:
    for name in front:
        if name not in known:
            raise ContentProblem(
                path, line_of(path, name), f"no field {name}; there are: {', '.join(sorted(known))}"
            )


def line_of(path: Path, name: str) -> int:
    """The line of a field in the front matter, for a message."""
    lines = read_text(path).split("\n")
    return next((n for n, line in enumerate(lines, 1) if line.startswith(f"{name}:")), 1)


def list_field(path: Path, front: Mapping[str, Any], name: str) -> list[Any]:
    value = front.get(name) or []
    if not isinstance(value, list):
        raise ContentProblem(path, line_of(path, name), f"{name} is a list")
    return value


def text_list_field(path: Path, front: Mapping[str, Any], name: str) -> list[str]:
    value = list_field(path, front, name)
    if not all(isinstance(one, str) for one in value):
        raise ContentProblem(path, line_of(path, name), f"{name} is a list of texts")
    return value


def mapping_field(path: Path, front: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = front.get(name) or {}
    if not isinstance(value, Mapping):
        raise ContentProblem(path, line_of(path, name), f"{name} is a list of `name: value` lines")
    return dict(value)


def position_field(path: Path, front: Mapping[str, Any]) -> int:
    value = front.get("position", 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ContentProblem(path, line_of(path, "position"), "position is a whole number of 0 or more")
    return value


def choice_field(path: Path, front: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    value = front.get(name, allowed[0])
    if value not in allowed:
        raise ContentProblem(path, line_of(path, name), f"{name} is one of {', '.join(allowed)}")
    return str(value)
