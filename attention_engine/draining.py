"""Takes from the fast queue what waits there, to be drawn together. Knows no picture and waits for nothing.

One round trip tells a lone picture that it is alone. A worker takes its share alone, so that each of its
threads or processes has something to draw, and stops at MOST_TOGETHER pictures or TOGETHER_FLOPS, because
the last of them waits for all before it."""

import logging
import os
import threading
from collections.abc import Iterator
from typing import Any

from attention_engine.admission import FAST_FLOPS

log = logging.getLogger(__name__)
FAST = "renders.fast"
FLOPS = "flops"
"""The header of a message that carries what was admitted."""
MOST_TOGETHER = 16
"""Beyond so many the work a message saves is under a tenth of what a small picture takes."""
TOGETHER_FLOPS = 2 * FAST_FLOPS
"""About 40 ms at 100 GFLOP/s."""
TIMEOUTS = {"socket_timeout": 1.0, "socket_connect_timeout": 0.3}
"""Seconds; nothing here waits for a message."""
_mine = threading.local()


def waiting(app: Any, task: str, *, flops: int | None, share: int, queue: str = FAST) -> Iterator[str]:
    """Digests of further messages of `task`, taken from the queue; none where nothing waits.

    `flops` are those of the picture at hand, `share` is how many draw at once in this worker. A broker that
    does not answer is logged: what waits there is taken by whoever reaches it."""
    spent = FAST_FLOPS if flops is None else flops
    try:
        channel = _channel(app)
        left = min(MOST_TOGETHER - 1, _count(channel, queue) // share)
        while left > 0 and spent < TOGETHER_FLOPS:
            message = channel.basic_get(queue, no_ack=True)
            if message is None:
                return
            digest = _digest(message, task)
            if digest is None:
                _put_back(channel, queue, message)
                return
            spent += int(message.headers.get(FLOPS, FAST_FLOPS))
            left -= 1
            yield digest
    except Exception as error:  # of whichever library the broker is reached by
        _forget()
        log.warning("what waits in %s is left there: %s", queue, error)


def _digest(message: Any, task: str) -> str | None:
    """What our task is to draw; None for a message of another task, or one that only Celery understands."""
    headers = message.headers
    if headers.get("task") != task or headers.get("eta") or headers.get("expires"):
        return None
    arguments = message.payload[0]
    return arguments[0] if len(arguments) == 1 and isinstance(arguments[0], str) else None


def _count(channel: Any, queue: str) -> int:
    """Messages that wait; kombu's virtual transports count them without declaring the queue anew."""
    return int(channel._size(queue))


def _put_back(channel: Any, queue: str, message: Any) -> None:
    """To the end of the queue, where a consumer takes it."""
    channel._put(queue, message.serializable())


def _channel(app: Any) -> Any:
    """This thread's own, for kombu's are not safe between threads; after a fork a new one."""
    held = getattr(_mine, "channel", None)
    if held is None or _mine.pid != os.getpid():
        connection = app.connection_for_read(transport_options=TIMEOUTS)
        connection.ensure_connection(max_retries=1, interval_start=0, interval_step=0)
        held = connection.channel()
        _mine.connection, _mine.channel, _mine.pid = connection, held, os.getpid()
    return held


def _forget() -> None:
    _mine.channel = None
