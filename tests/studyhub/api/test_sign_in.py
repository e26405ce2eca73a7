"""Nothing sent to sign in breaks the service: hostile bodies get allauth's 4xx and no account is touched."""

import json

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

AUTH = "/_allauth/app/v1"
BODIES = {
    "deep": b"[" * 100_000,
    "deep_objects": b'{"username":' * 5000 + b"1" + b"}" * 5000,
    "nul": b'{"username": "a\\u0000", "password": "x"}',
    "surrogate": b'{"username": "\\ud800", "password": "x"}',
    "surrogate_in_password": b'{"username": "ben", "password": "\\ud800"}',
    "surrogate_in_token": b'{"refresh_token": "\\ud800"}',
    "integer_5000": b'{"username": ' + b"9" * 5000 + b', "password": "x"}',
    "nan": b'{"username": NaN, "password": 1}',
    "array": b"[]",
    "null": b"null",
    "wrong_types": b'{"username": [], "password": {}, "refresh_token": {}}',
    "utf8": b"\xff",
    "mebibyte": b'{"username": "' + b"x" * 2**20 + b'"}',
    "long_name": b'{"username": "' + b"x" * 10_000 + b'", "password": "x", "refresh_token": "y"}',
    "half": b'{"username": "ben"',
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "auth/login"), ("POST", "auth/signup"), ("POST", "tokens/refresh"), ("DELETE", "auth/session")],
)
def test_hostile_bodies_are_refused_and_no_account_is_made(ben, name, method, path):
    client = Client(raise_request_exception=False)
    response = client.generic(method, f"{AUTH}/{path}", BODIES[name], content_type="application/json")
    assert 400 <= response.status_code < 500
    assert get_user_model().objects.count() == 1


def test_a_refusal_is_in_the_format_of_the_sign_in_api(db):
    response = Client().generic("POST", f"{AUTH}/auth/login", BODIES["nul"], content_type="application/json")
    assert json.loads(response.content) == {
        "status": 400,
        "errors": [{"message": "username: contains the character NUL.", "code": "invalid"}],
    }


@pytest.mark.parametrize("name", ["x" * 100_000, "x" * 255 + "@example.org"])
def test_the_page_takes_a_name_of_any_length_as_a_wrong_one(ben, name):
    response = Client().post("/accounts/login/", {"login": name, "password": "ben-pass-1"})
    assert response.status_code == 200
    assert "sessionid" not in response.cookies


def test_a_body_of_unknown_length_is_not_read(db):
    chunked = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}
    assert Client().generic("POST", f"{AUTH}/auth/login", b"{}", **chunked).status_code == 411
