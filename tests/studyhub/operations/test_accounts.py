"""The demo accounts: made once, printed alike at every start, and out of the way of people."""

from pathlib import Path

import pytest
from django.contrib.auth import authenticate, get_user_model

from studyhub.operations.accounts import demo_accounts

pytestmark = pytest.mark.django_db


def test_a_learner_and_an_author_who_may_sign_in(tmp_path: Path) -> None:
    learner, author = demo_accounts(tmp_path)
    assert (learner.role, learner.name) == ("learner", "demo")
    user = authenticate(username="demo", password=learner.password)
    assert user is not None
    assert not user.is_staff
    assert not user.is_superuser
    staff = authenticate(username=author.name, password=author.password)
    assert staff is not None
    assert staff.is_staff
    assert staff.is_superuser


def test_a_second_start_makes_nobody_and_gives_the_same_passwords(tmp_path: Path) -> None:
    assert demo_accounts(tmp_path) == demo_accounts(tmp_path)
    assert get_user_model().objects.count() == 2


def test_two_installations_have_different_passwords(tmp_path: Path) -> None:
    first = demo_accounts(tmp_path / ".")[0].password
    get_user_model().objects.all().delete()
    (tmp_path / "other").mkdir()
    assert demo_accounts(tmp_path / "other")[0].password != first


def test_a_password_somebody_changed_is_left_alone_and_not_printed(tmp_path: Path) -> None:
    demo_accounts(tmp_path)
    user = get_user_model().objects.get(username="demo")
    user.set_password("my own words")
    user.save()
    assert demo_accounts(tmp_path)[0].password == ""
    assert authenticate(username="demo", password="my own words")


def test_the_kept_passwords_are_for_the_owner_alone(tmp_path: Path) -> None:
    demo_accounts(tmp_path)
    assert (tmp_path / "demo_accounts.json").stat().st_mode & 0o077 == 0
