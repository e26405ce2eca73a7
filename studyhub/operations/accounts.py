"""The two accounts of the embedded mode, for trying everything at once. Knows no page."""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth import get_user_model

LEARNER, AUTHOR = "demo", "author"


@dataclass(frozen=True)
class Account:
    """A demo account; the password is "" when somebody has changed it since."""

    role: str
    name: str
    password: str


def demo_accounts(folder: Path) -> list[Account]:
    """Makes the demo learner and the demo author where they are missing; passwords are kept in `folder`."""
    passwords = _kept_passwords(folder / "demo_accounts.json")
    return [
        _account("learner", LEARNER, passwords[LEARNER]),
        _account("author", AUTHOR, passwords[AUTHOR], is_staff=True, is_superuser=True),
    ]


def _account(role: str, name: str, password: str, **rights: bool) -> Account:
    users = get_user_model().objects
    user = users.filter(username=name).first()
    if user is None:
        user = users.create_user(name, f"{name}@example.org", password, **rights)
    return Account(role, name, password if user.check_password(password) else "")


def _kept_passwords(path: Path) -> dict[str, str]:
    """Passwords made by chance on first use (file mode 0600), so that a restart prints the same ones."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({name: secrets.token_hex(6) for name in (LEARNER, AUTHOR)}, file)
    except FileExistsError:
        pass
    passwords: dict[str, str] = json.loads(path.read_text())
    return passwords
