"""Reads a JSON body within bounds and says which field broke them. Knows no operation."""

import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from studyhub.api.problems.problem import FieldError, Problem, invalid

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_INTEGER = 2**63 - 1
_MAX_DIGITS = len(str(MAX_INTEGER))
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN_PATH_PARTS = 8

Path = tuple[Any, ...]  # (parent path, key); () is the body itself


@dataclass(frozen=True)
class Refused:
    """Stands where a value stood that JSON readers accept and we do not."""

    reason: str


class BoundedJSONParser(BaseParser):
    """application/json of at most 1 MiB, 32 levels, UTF-8, with no value that cannot be stored."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The value of the body. Raises Problem (400, 413 or 415)."""
        request = (parser_context or {}).get("request")
        refuse_encodings(media_type or "", request)
        value = read_json(_bounded(stream, request))
        found = next(refusals(value), None)
        if found is not None:
            raise Problem("invalid-request", f"{found.field}: {found.reason}", errors=[found], status=400)
        return value


def refuse_encodings(media_type: str, request: Request | None) -> None:
    """UTF-8 alone, as it is or in gzip. Raises Problem 415."""
    charset = re.search(r'charset\s*=\s*"?([^\s";]+)', media_type, re.IGNORECASE)
    if charset and charset[1].lower() not in {"utf-8", "utf8"}:
        raise invalid("Content-Type", f"charset {charset[1]!r} is not taken; send UTF-8", status=415)
    encoding = _encoding(request)
    if encoding not in ("identity", "gzip"):
        reason = f"{encoding!r} is not taken; send the body as it is, or in gzip"
        raise invalid("Content-Encoding", reason, status=415)


def _encoding(request: Request | None) -> str:
    return str(request.headers.get("Content-Encoding", "identity")).lower() if request else "identity"


def _bounded(stream: IO[Any], request: Request | None) -> bytes:
    """The bytes of the body; one that says it is too long is not read at all."""
    declared = str(request.META.get("CONTENT_LENGTH", "")) if request else ""
    too_long = declared.isdecimal() and (len(declared) > 12 or int(declared) > MAX_BYTES)
    raw: bytes = b"" if too_long else stream.read(MAX_BYTES + 1)
    if too_long or len(raw) > MAX_BYTES:
        raise invalid("body", f"is longer than {MAX_BYTES} bytes", status=413)
    return _unpacked(raw) if _encoding(request) == "gzip" else raw


def _unpacked(packed: bytes) -> bytes:
    """The bytes within gzip; no more of them are made than a body may have. Raises Problem 400 or 413."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        raw = unpacker.decompress(packed, MAX_BYTES + 1)
    except zlib.error as error:
        raise invalid("body", f"is not gzip: {error}", status=400) from error
    if len(raw) > MAX_BYTES:
        raise invalid("body", f"is longer than {MAX_BYTES} bytes once it is unpacked", status=413)
    if not unpacker.eof or unpacker.unused_data:
        raise invalid("body", "is not one whole gzip", status=400)
    return raw


def read_json(raw: bytes) -> Any:
    """The value of strict JSON in UTF-8; what is refused by value (not by form) is a Refused in its place."""
    try:
        return json.loads(
            raw.decode("utf-8"),
            parse_int=_integer,
            parse_constant=lambda name: Refused(f"{name} is not a JSON number"),
            object_pairs_hook=_mapping,
        )
    except UnicodeDecodeError as error:
        raise invalid("body", f"is not UTF-8 at byte {error.start}", status=400) from error
    except json.JSONDecodeError as error:
        reason = f"is not JSON: {error.msg} at character {error.pos}"
        raise invalid("body", reason, status=400, offset=error.pos) from error
    except RecursionError as error:
        raise invalid("body", f"is nested deeper than {MAX_DEPTH} levels", status=400) from error


def refusals(body: Any) -> Iterator[FieldError]:
    """Every value we do not take, by its path. Iterative: depth costs no stack."""
    pending: list[tuple[Any, Path, int]] = [(body, (), 1)]
    while pending:
        value, path, depth = pending.pop()
        reason = _reason(value, depth)
        if reason:
            yield FieldError(shown(path), reason)
        elif isinstance(value, dict):
            pending.extend((inner, (path, key), depth + 1) for key, inner in value.items())
            yield from (FieldError(shown((path, key)), bad) for key in value if (bad := text_reason(key)))
        elif isinstance(value, list):
            pending.extend((inner, (path, index), depth + 1) for index, inner in enumerate(value))


def _reason(value: Any, depth: int) -> str:
    """Why one value is refused, "" when it is not; its insides are looked at in their turn."""
    if isinstance(value, Refused):
        return value.reason
    if isinstance(value, str):
        return text_reason(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "is beyond the largest number a float holds"
    if isinstance(value, dict | list) and depth > MAX_DEPTH:
        return f"is nested deeper than {MAX_DEPTH} levels"
    return ""


def text_reason(text: str) -> str:
    """Why a text cannot be stored, "" when it can."""
    if "\0" in text:
        return "contains the character NUL"
    if not text.isascii() and _SURROGATE.search(text):
        return "contains half of a surrogate pair"
    return ""


def shown(path: Path) -> str:
    """`response.choices.3`; long paths and keys are cut, and what no text can carry is escaped."""
    parts: list[str] = []
    while path:
        path, key = path
        parts.append(_escaped(str(key)))
    parts.reverse()
    cut = parts if len(parts) <= _SHOWN_PATH_PARTS else [*parts[:_SHOWN_PATH_PARTS], "…"]
    return ".".join(cut) or "body"


def _escaped(key: str) -> str:
    """A key fit for a message."""
    plain = _SURROGATE.sub("\ufffd", key.replace("\0", "\ufffd"))
    return plain if len(plain) <= 64 else plain[:63] + "…"


def _integer(digits: str) -> int | Refused:
    """An integer of 64 bits; no longer one is ever converted."""
    if len(digits.lstrip("-")) > _MAX_DIGITS or abs(int(digits)) > MAX_INTEGER:
        return Refused("is beyond 64 bits")
    return int(digits)


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different; a doubled key is refused in its place."""
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                mapping[key] = Refused("is given twice")
            seen.add(key)
    return mapping
