"""Runs the suite as the README promises: SQLite, then PostgreSQL and Redis, then a browser. Stdlib only.

Each part that this machine cannot run is skipped with one line at the end, never in silence.
"""

import argparse
import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALONE = "not services and not e2e and not chaos" + ("" if os.environ.get("THOROUGH") else " and not thorough")
"""Tests that need no server and no browser."""
ON_A_SERVER = ("studyhub/study", "studyhub/api", "studyhub/delivery", "studyhub/operations", "cards")
"""Rooms whose tests run on PostgreSQL and Redis too; pages only render what these read."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def main() -> int:
    """Exit status: 0 when every part that ran has passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("sqlite", "services", "e2e"))
    only = parser.parse_args().only
    skipped: list[str] = []
    parts = {"sqlite": run_sqlite, "services": run_services, "e2e": run_e2e}
    failed = [name for name, part in parts.items() if only in (None, name) and part(skipped) != 0]
    for line in skipped:
        print(f"SKIPPED: {line}")
    print(f"FAILED: {', '.join(failed)}" if failed else "All parts that ran have passed.")
    return 1 if failed else 0


def run_sqlite(_skipped: list[str]) -> int:
    """The whole suite on the embedded default: SQLite for data, broker and frames."""
    return pytest("-m", ALONE, "-n", "auto", "--dist", "loadgroup", env={})


def run_services(skipped: list[str]) -> int:
    """What touches a server, and every test of the ORM, on PostgreSQL and Redis; not what touches neither."""
    with contextlib.ExitStack() as stack:
        database = os.environ.get("DATABASE_URL") or stack.enter_context(postgresql())
        redis = os.environ.get("REDIS_URL") or stack.enter_context(redis_server())
        missing = [name for name, url in (("PostgreSQL", database), ("Redis", redis)) if not url]
        if missing:
            skipped.append(
                f"tests on {' and '.join(missing)} (not found on its default port, no binary to start)"
            )
            return 0
        env = {"DATABASE_URL": database, "REDIS_URL": redis}
        return pytest("-m", "services", "-q", env=env) or pytest(
            *(f"tests/{room}" for room in ON_A_SERVER), "-m", f"{ALONE} and not plain",
            "-n", "auto", "--dist", "loadgroup", "-q", env=env,
        )  # fmt: skip


def run_e2e(skipped: list[str]) -> int:
    """The main job in a real browser: on the embedded default, then on PostgreSQL and Redis if found."""
    browser = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), "")
    if not browser:
        skipped.append(f"browser tests (none of {', '.join(BROWSERS)} on PATH; set CHROMIUM to its path)")
        return 0
    env = {"CHROMIUM": browser}
    slowest = "--durations=15"
    status = pytest("tests/e2e", "-m", "e2e", "-q", slowest, "-n", "2", "--dist", "loadfile", env=env)
    with servers() as (database, redis):
        if status or not (database and redis):
            return status
        with scratch_database(database) as scratch:
            env |= {"DATABASE_URL": scratch, "REDIS_URL": redis}
            return pytest("tests/e2e/test_main_job.py", "-m", "e2e", "-q", env=env)


def pytest(*arguments: str, env: dict[str, str]) -> int:
    """One pytest run in a clean environment; exit 5 (nothing collected) counts as a failure."""
    kept = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "STUDYHUB_VAR")}
    command = [sys.executable, "-m", "pytest", *arguments]
    print(f"\n== {' '.join(f'{k}={v}' for k, v in env.items())} pytest {' '.join(arguments)}", flush=True)
    return subprocess.run(command, cwd=ROOT, env={**kept, **env}, check=False).returncode


def listens(port: int) -> bool:
    """True when something accepts TCP connections on the loopback port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """A port nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    """Raises TimeoutError when nothing listens within 20 s."""
    deadline = time.monotonic() + 20
    while not listens(port):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing listens on port {port} after 20 s")
        time.sleep(0.1)


@contextlib.contextmanager
def servers() -> Iterator[tuple[str, str]]:
    """(DATABASE_URL, REDIS_URL): of the environment, else found or started; "" for one that cannot be."""
    with contextlib.ExitStack() as stack:
        database = os.environ.get("DATABASE_URL") or stack.enter_context(postgresql())
        redis = os.environ.get("REDIS_URL") or stack.enter_context(redis_server())
        yield database, redis


@contextlib.contextmanager
def scratch_database(url: str) -> Iterator[str]:
    """A database of our own on that server, dropped at the end: a browser test must not write into yours."""
    import psycopg  # in the test group

    name = f"studyhub_e2e_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield url.rpartition("/")[0] + f"/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.contextmanager
def redis_server() -> Iterator[str]:
    """The Redis on its default port (database 9), else a private one, else ""."""
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if listens(6379):
        yield "redis://127.0.0.1:6379/9"
    elif not binary:
        yield ""
    else:
        port = free_port()
        command = [binary, "--port", str(port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        with started(command, port):
            yield f"redis://127.0.0.1:{port}/9"


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """The PostgreSQL on its default port when it trusts us, else a private cluster, else ""."""
    initdb = find_postgresql("initdb")
    if listens(5432) and (url := trusted_url(5432)):
        yield url
    elif not initdb:
        yield ""
    else:
        with private_cluster(initdb) as url:
            yield url


def find_postgresql(name: str) -> str:
    """Debian keeps the server's binaries off PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name) or ""


def trusted_url(port: int) -> str:
    """A URL that may create databases without a password, or ""."""
    import psycopg  # in the test group

    for user in dict.fromkeys(["postgres", pwd.getpwuid(os.geteuid()).pw_name]):
        url = f"postgresql://{user}@127.0.0.1:{port}/postgres"
        with (
            contextlib.suppress(psycopg.OperationalError),
            psycopg.connect(url, connect_timeout=3) as connection,
        ):
            row = connection.execute(
                "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = user"
            ).fetchone()
            if row and row[0]:
                return url
    return ""


@contextlib.contextmanager
def private_cluster(initdb: str) -> Iterator[str]:
    """A cluster in a temporary folder. initdb refuses root, so root lends it to `postgres` or `nobody`."""
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = ("postgres" if "postgres" in names else "nobody") if os.geteuid() == 0 else None
    folder, port = Path(tempfile.mkdtemp(prefix="studyhub-postgresql-")), free_port()
    if user:
        shutil.chown(folder, user)
    try:
        subprocess.run(
            [initdb, "-D", str(folder / "data"), "-U", "postgres", "--auth=trust", "-E", "UTF8"],
            check=True, stdout=subprocess.DEVNULL, user=user,
        )  # fmt: skip
        command = [str(Path(initdb).with_name("postgres")), "-D", str(folder / "data"), "-p", str(port),
                   "-c", "listen_addresses=127.0.0.1", "-k", str(folder)]  # fmt: skip
        with started(command, port, user=user):
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def started(command: list[str], port: int, *, user: str | None = None) -> Iterator[None]:
    """Runs a server until the block ends."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=user)
    try:
        wait_for(port)
        yield
    finally:
        server.terminate()
        server.wait(timeout=20)


if __name__ == "__main__":
    sys.exit(main())
