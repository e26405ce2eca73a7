"""Notices that this process is asked to end, so that open streams end by themselves. Knows no server."""

import signal
import threading
from types import FrameType

asked = threading.Event()
"""Set once SIGTERM has come."""
_listening = threading.Event()


def listen() -> None:
    """Listens for SIGTERM beside whoever does already; does nothing in a thread or where nobody would hear.

    A server's event loop hears of signals through a file of its own and goes on doing so."""
    before = signal.getsignal(signal.SIGTERM)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if _listening.is_set() or not in_main_thread or not callable(before):
        return

    def hear(number: int, frame: FrameType | None) -> None:
        asked.set()
        before(number, frame)

    signal.signal(signal.SIGTERM, hear)
    _listening.set()
