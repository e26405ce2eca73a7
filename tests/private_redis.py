"""A Redis of a test's own: without persistence, to be hung, killed and started again."""

import shutil
import signal
import socket
import subprocess
import time

import pytest

from tests.serving import free_port

BINARY = shutil.which("redis-server") or shutil.which("valkey-server")


class PrivateRedis:
    """Listens on a free port from `start` to `kill`. Skips the test where there is no binary."""

    def __init__(self) -> None:
        if not BINARY:
            pytest.skip("no redis-server or valkey-server to start")
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Returns once it accepts connections. Raises TimeoutError after 10 s."""
        options = ["--port", str(self.port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        self.process = subprocess.Popen([str(BINARY), *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise TimeoutError(f"nothing listens on {self.port}")

    def send_signal(self, number: signal.Signals) -> None:
        """SIGSTOP hangs it, SIGCONT lets it go on."""
        assert self.process
        self.process.send_signal(number)

    def kill(self) -> None:
        """kill -9; a second time does nothing."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
