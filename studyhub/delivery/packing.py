"""A byte stream made smaller on its way, each piece readable as soon as it arrives. Knows no event."""

import zlib
from collections.abc import AsyncIterator

GZIP = 31  # wbits: a gzip header and trailer round deflate
MEMORY = 8
"""64 KiB a stream beside its window, zlib's own choice: a hundred streams hold a few MiB."""


async def packed(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes as gzip; flushed after every piece, so that a reader never waits for the next one.

    Frames of one picture repeat their names and words: what the second says, the first has mostly said."""
    packer = zlib.compressobj(6, zlib.DEFLATED, GZIP, MEMORY)
    async for piece in pieces:
        yield packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()
