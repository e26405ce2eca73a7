"""Fixtures every room shares: data folders of their own and the people of the permission matrix."""

import os
import tempfile

# Before Django reads its settings: tests never touch a developer's var/.
os.environ.setdefault("STUDYHUB_VAR", tempfile.mkdtemp(prefix="studyhub-tests-"))

import hypothesis
import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser

# In CI the same examples each time: a new counterexample is for the person who is at work on the code.
hypothesis.settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    hypothesis.settings.load_profile("ci")


@pytest.fixture(autouse=True, scope="session")
def _the_flush_after_a_test_may_empty_the_ledger() -> None:
    """A transactional test ends with a flush; only here and in erasure may lines of the ledger go."""
    from django.db import connection
    from django.test import TransactionTestCase

    from studyhub.study.ledger import open_ledger

    flush = TransactionTestCase._fixture_teardown

    def flush_with_open_ledger(case: TransactionTestCase) -> None:
        with open_ledger(connection):
            flush(case)

    TransactionTestCase._fixture_teardown = flush_with_open_ledger


@pytest.fixture(autouse=True)
def _nothing_kept_in_the_cache() -> None:
    """Rolled back rows give their ids to the next test: what was counted of them must not stay."""
    from django.core.cache import caches

    for cache in caches.all():
        cache.clear()


@pytest.fixture(autouse=True, scope="session")
def _cheap_passwords() -> None:
    """Hashing a password takes 0.3 s on purpose; people of a fixture do not need that."""
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def ada(db: None) -> AbstractBaseUser:
    """The author (staff)."""
    return get_user_model().objects.create_user("ada", "ada@example.org", "ada-pass-1", is_staff=True)


@pytest.fixture
def ben(db: None) -> AbstractBaseUser:
    """The learner."""
    return get_user_model().objects.create_user("ben", "ben@example.org", "ben-pass-1")


@pytest.fixture
def cy(db: None) -> AbstractBaseUser:
    """The stranger: signed in, owns nothing here."""
    return get_user_model().objects.create_user("cy", "cy@example.org", "cy-pass-1")


@pytest.fixture
def sol(db: None) -> AbstractBaseUser:
    """Staff with every permission."""
    return get_user_model().objects.create_superuser("sol", "sol@example.org", "sol-pass-1")
