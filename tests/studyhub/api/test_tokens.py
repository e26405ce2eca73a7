"""A phone signs in once: short access tokens, refresh tokens of one use, a log-out that works at once."""

import json

import pytest
from django.test import Client

AUTH = "/_allauth/app/v1"


class Phone:
    """A client without cookies."""

    def __init__(self) -> None:
        self.client = Client()

    def call(self, method: str, path: str, body=None, **headers):
        self.client.cookies.clear()
        data = json.dumps(body) if body is not None else ""
        return self.client.generic(method, path, data, content_type="application/json", headers=headers)

    def log_in(self, username: str, password: str):
        return self.call("POST", f"{AUTH}/auth/login", {"username": username, "password": password})

    def refresh(self, token: str):
        return self.call("POST", f"{AUTH}/tokens/refresh", {"refresh_token": token})

    def models(self, access_token: str):
        return self.call("GET", "/api/v1/models/bert-base", Authorization=f"Bearer {access_token}")


@pytest.fixture
def phone(ben) -> Phone:
    return Phone()


@pytest.fixture
def tokens(phone) -> dict:
    response = phone.log_in("ben", "ben-pass-1")
    assert response.status_code == 200, response.content
    return response.json()["meta"]


def test_a_login_gives_a_session_an_access_and_a_refresh_token(tokens):
    assert {"session_token", "access_token", "refresh_token"} <= set(tokens)


def test_the_email_address_signs_in_as_well(phone):
    body = {"email": "ben@example.org", "password": "ben-pass-1"}
    assert phone.call("POST", f"{AUTH}/auth/login", body).status_code == 200


def test_a_wrong_password_gives_no_token(phone):
    response = phone.log_in("ben", "wrong-pass-1")
    assert response.status_code == 400
    assert "access_token" not in response.content.decode()


def test_the_access_token_opens_the_api_without_csrf(phone, tokens):
    assert phone.models(tokens["access_token"]).status_code == 200
    post = phone.call("POST", "/api/v1/attempts", {}, Authorization=f"Bearer {tokens['access_token']}")
    assert post.status_code == 422


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "\x01", "ü", "x" * 5000, "null", "e30.e30."])
def test_a_token_that_is_none_is_a_401_problem_that_says_how_to_sign_in(phone, problem, token):
    response = phone.models(token)
    problem(response, 401)
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_refresh_token_is_no_access_token(phone, tokens, problem):
    problem(phone.models(tokens["refresh_token"]), 401)


def test_a_session_token_is_no_access_token(phone, tokens, problem):
    problem(phone.models(tokens["session_token"]), 401)


def test_a_refresh_token_works_once(phone, tokens):
    first = phone.refresh(tokens["refresh_token"])
    assert first.status_code == 200
    renewed = first.json()["data"]
    assert phone.models(renewed["access_token"]).status_code == 200
    assert phone.refresh(tokens["refresh_token"]).status_code == 400
    assert phone.refresh(renewed["refresh_token"]).status_code == 200


def test_logging_out_revokes_access_and_refresh_tokens_at_once(phone, tokens, problem):
    gone = phone.call("DELETE", f"{AUTH}/auth/session", **{"X-Session-Token": tokens["session_token"]})
    assert gone.status_code == 401  # allauth's way to say: signed out
    problem(phone.models(tokens["access_token"]), 401)
    assert phone.refresh(tokens["refresh_token"]).status_code == 400


def test_a_new_password_revokes_the_tokens_of_the_old_one(phone, tokens, ben, problem):
    ben.set_password("another-pass-1")
    ben.save()
    problem(phone.models(tokens["access_token"]), 401)


def test_a_deactivated_learner_is_out_at_once(phone, tokens, ben, problem):
    ben.is_active = False
    ben.save()
    problem(phone.models(tokens["access_token"]), 401)


def test_access_tokens_last_fifteen_minutes_and_refresh_tokens_sixty_days(tokens):
    import jwt

    def lifetime(token: str) -> int:
        claims = jwt.decode(token, options={"verify_signature": False})
        return claims["exp"] - claims["iat"]

    assert lifetime(tokens["access_token"]) == 15 * 60
    assert lifetime(tokens["refresh_token"]) == 60 * 24 * 3600


def test_the_key_of_the_tokens_is_not_the_secret_key(tokens, settings):
    import jwt

    jwt.decode(tokens["access_token"], settings.HEADLESS_JWT_PRIVATE_KEY, algorithms=["HS256"])
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(tokens["access_token"], settings.SECRET_KEY, algorithms=["HS256"])
