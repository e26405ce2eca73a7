"""Reads the environment once into a frozen value. Knows no Django."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import environ

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Environment:
    """What the process was told: folders, URLs, secrets and switches."""

    var: Path
    debug: bool
    secret_key: str
    jwt_key: str
    allowed_hosts: list[str]
    csrf_trusted_origins: list[str]
    database_url: str
    redis_url: str
    log_level: str
    secure: bool
    beat_in_worker: bool

    @property
    def embedded(self) -> bool:
        """True when data, broker and frames are SQLite files of ours (no server to run)."""
        return self.database_url.startswith("sqlite") and not self.redis_url

    @property
    def frames_url(self) -> str:
        """Where frames live: Redis where there is one, else a SQLite file."""
        return self.redis_url or f"sqlite:///{self.var / 'frames.sqlite3'}"

    @property
    def broker_url(self) -> str:
        """Where messages live; `studyhubsqlite` is our kombu transport (kombu splits a scheme at '+')."""
        return self.redis_url or f"studyhubsqlite:///{self.var / 'broker.sqlite3'}"


def read_environment() -> Environment:
    """The environment as a value; creates `var/` and its keys where they are missing."""
    env = environ.Env()
    var = Path(os.environ.get("STUDYHUB_VAR", PROJECT / "var")).resolve()
    var.mkdir(parents=True, exist_ok=True)
    database_url = env.str("DATABASE_URL", "") or f"sqlite:///{var / 'studyhub.sqlite3'}"
    return Environment(
        var=var,
        debug=env.bool("DEBUG", False),
        secret_key=env.str("SECRET_KEY", "") or _kept_secret(var / "secret_key"),
        jwt_key=env.str("STUDYHUB_JWT_KEY", "") or _kept_secret(var / "jwt_key"),
        allowed_hosts=env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]", "testserver"]),
        csrf_trusted_origins=env.list("CSRF_TRUSTED_ORIGINS", default=[]),
        database_url=database_url,
        redis_url=env.str("REDIS_URL", ""),
        log_level=env.str("LOG_LEVEL", "INFO"),
        secure=env.bool("STUDYHUB_HTTPS", False),
        beat_in_worker=env.bool("STUDYHUB_BEAT", False),
    )


def _kept_secret(path: Path) -> str:
    """A secret made on first use and kept beside the data (mode 0600): sessions survive a restart."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    return path.read_text()
