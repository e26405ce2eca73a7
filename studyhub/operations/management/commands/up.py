"""`manage.py up`: the whole service on this machine, under one supervisor, until Ctrl-C."""

import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from attention_engine import gpus, threads
from attention_engine.store import StoreUnavailable, open_store
from studyhub.operations.accounts import Account, demo_accounts
from studyhub.operations.supervisor import Child, Supervisor
from studyhub.operations.weights import Fetch, missing, told

BEAT = {"STUDYHUB_BEAT": "1"}  # for the one worker that keeps the clock
PATIENCE = 90.0  # seconds for the first page
# Said at every start, to nobody's use here: no collectstatic yet; celery run by root, as in a container.
QUIET = "ignore:No directory at:UserWarning,ignore:You're running the worker with superuser"
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what to ask, not what to bind


class Command(BaseCommand):
    """Migrates, loads the content, starts worker and web, prints where to go."""

    help = "Runs StudyHub: web and worker under one supervisor. Ctrl-C ends both."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """--host and --port of the web process."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Returns (status 0) when asked to end by SIGINT, SIGTERM or SIGHUP."""
        host, port = options["host"], options["port"]
        _refuse_taken(host, port)
        supervisor = Supervisor([*workers(), web(host, port)], say=self.say)
        supervisor.install_handlers()
        accounts = self._prepared()
        fetch = Fetch(settings.VAR / "models", say=self.say, then=_forget_untrained)
        try:
            supervisor.start()
            if self._answers(supervisor, host, port):
                self._greet(host, port, accounts)
                self._fetch_models(fetch)
            supervisor.run()
        finally:
            _deaf_to_signals()
            fetch.stop()
            supervisor.stop()
        self.say("StudyHub has ended.")

    def say(self, line: str) -> None:
        """One line, at once."""
        self.stdout.write(line)
        self.stdout.flush()

    def _prepared(self) -> list[Account]:
        """A database with tables, the shipped cards and, in embedded mode, two people."""
        call_command("migrate", verbosity=0, interactive=False)
        if "cards" in get_commands():
            call_command("cards", "load", stdout=self.stdout)
        accounts = demo_accounts(settings.VAR) if settings.EMBEDDED else []
        connections.close_all()
        return accounts

    def _answers(self, supervisor: Supervisor, host: str, port: int) -> bool:
        """True as soon as the web process answers; False when the end was asked for first."""
        address, deadline = f"{_url(WILDCARDS.get(host, host), port)}healthz", time.monotonic() + PATIENCE
        while not supervisor.stopping.wait(0.05):
            if _is_up(address):
                return True
            supervisor.look()
            if time.monotonic() > deadline:
                raise CommandError(f"{address} did not answer within {PATIENCE:g} s; see the lines above")
        return False

    def _greet(self, host: str, port: int, accounts: list[Account]) -> None:
        self.say(f"\nStudyHub is at {_url(WILDCARDS.get(host, host), port)}   (Ctrl-C ends it)")
        for account in accounts:
            password = account.password or "(the password was changed)"
            self.say(f"  {account.role:8} {account.name} / {password}")
        if not accounts:
            self.say("  Learners sign up there; make an author with: manage.py createsuperuser")
        self.say("")

    def _fetch_models(self, fetch: Fetch) -> None:
        wanted = missing(settings.VAR / "models")
        if wanted and os.environ.get("STUDYHUB_FETCH_MODELS", "1") != "0":
            self.say(told(wanted))
            fetch.start()


def _forget_untrained() -> None:
    """Pictures drawn before the weights came are drawn again with them."""
    with suppress(StoreUnavailable):
        open_store(settings.FRAMES_URL).forget_drawn()


RENDERS, JOBS = "renders.fast,renders.heavy", "jobs"


def workers() -> list[Child]:
    """The worker; where a GPU is used, one process for it alone and one for jobs."""
    if gpus.asked() != "cuda" and (gpus.asked() == "cpu" or not gpus.seen()):
        return [worker()]
    jobs = _worker("jobs", ["-P", "threads", "-c", "1", "-Q", JOBS, "-n", "jobs@%h"])
    renders = _worker("renders", ["-P", "solo", "-Q", RENDERS, "-n", "renders@%h"])
    return [renders, replace(jobs, env=jobs.env | BEAT | {"STUDYHUB_DEVICE": "cpu"})]


def worker() -> Child:
    """The Celery worker: threads share one torch, and neither pool nor events need a remote control.

    Of its three threads one draws a heavy picture and one does a job at most; it keeps the clock as well."""
    both = _worker("worker", ["-P", "threads", "-c", "3", "-Q", f"{RENDERS},{JOBS}"])
    return replace(both, env=both.env | BEAT)


def _worker(name: str, pool: list[str]) -> Child:
    command = [
        sys.executable, "-m", "celery", "-q", "-A", "studyhub", "worker", *pool, "--loglevel", "WARNING",
        "--without-mingle", "--without-gossip", "--without-heartbeat",
    ]  # fmt: skip
    return Child(name, command, settings.BASE_DIR, _environment() | threads.unconfigured())


def web(host: str, port: int) -> Child:
    """Granian with one process; an open stream may hold up its end for 3 s, not for ever."""
    command = [
        sys.executable, "-m", "granian", "--interface", "asginl", "--host", host, "--port", str(port),
        "--workers", "1", "--workers-kill-timeout", "3", "--log-level", "warning", "--no-ws",
        "studyhub.asgi:application",
    ]  # fmt: skip
    return Child("web", command, settings.BASE_DIR, _environment())


def _environment() -> dict[str, str]:
    return {"STUDYHUB_VAR": str(settings.VAR), "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": QUIET}


def _deaf_to_signals() -> None:
    """A second Ctrl-C must not leave a child behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _refuse_taken(host: str, port: int) -> None:
    """Raises CommandError when somebody listens there already: better than two services and one port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"cannot listen on {host} port {port}: {error.strerror}; end what runs there or take another "
                f"port: make run PORT={port + 1}"
            ) from error


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=1):  # noqa: S310 - our own http address
            return True
    except urllib.error.HTTPError:
        return True  # it answers, if only that it does not know this host name
    except OSError:
        return False
