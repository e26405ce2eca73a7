"""A packed stream: the same bytes, smaller, each piece readable before the next is made."""

import asyncio
import zlib
from collections.abc import AsyncIterator

from studyhub.delivery import packed

PIECES = [b"retry: 2000\n\n", *(b'event: frame\ndata: {"step": "%d"}\n\n' % n for n in range(50))]


def test_each_piece_can_be_read_before_the_next_one_is_made() -> None:
    async def scene() -> bytes:
        made: list[bytes] = []

        async def pieces() -> AsyncIterator[bytes]:
            for piece in PIECES:
                made.append(piece)
                yield piece

        reader, read = zlib.decompressobj(31), b""
        async for part in packed(pieces()):
            read += reader.decompress(part)
            assert read == b"".join(made)
        assert reader.eof
        return read

    assert asyncio.run(scene()) == b"".join(PIECES)


def test_what_repeats_itself_is_sent_once() -> None:
    async def size() -> int:
        async def pieces() -> AsyncIterator[bytes]:
            for piece in PIECES:
                yield piece

        return sum([len(part) async for part in packed(pieces())])

    assert asyncio.run(size()) < len(b"".join(PIECES)) / 2
