"""Whatever goes wrong under /api/v1/ comes back as problem JSON."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from rest_framework import exceptions
from rest_framework.permissions import AllowAny
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.problems.problem import FieldError, Problem, flatten
from studyhub.api.problems.types import PROBLEM_TYPES
from studyhub.urls import urlpatterns as service_urls

ERRORS = {
    "http404": Http404("gone"),
    "denied": PermissionDenied(),
    "throttled": exceptions.Throttled(wait=7.2),
    "ours": Problem(
        "unreadable-answer", "not a number", errors=[FieldError("response.text", "no digits", 3)]
    ),
    "validation": exceptions.ValidationError({"response": {"choices": [{}, {"x": ["odd"]}]}}),
    "fault": RuntimeError("secret detail"),
}


class Failing(APIView):
    permission_classes = (AllowAny,)
    authentication_classes = ()

    def get(self, request, name):
        raise ERRORS[name]

    def post(self, request, name):
        return Response(request.data)


def page_that_fails(request):
    raise RuntimeError("outside DRF")


def page_that_refuses(request):
    return HttpResponse("<h1>no</h1>", status=403)


urlpatterns = [
    path("api/v1/fail/<str:name>", Failing.as_view()),
    path("api/v1/outside", page_that_fails),
    path("api/v1/refused", page_that_refuses),
    *service_urls,
]


@pytest.fixture
def client():
    with override_settings(ROOT_URLCONF=__name__):
        yield Client(raise_request_exception=False)


def problem(response) -> dict:
    assert response["Content-Type"] == "application/problem+json"
    body = json.loads(response.content)
    assert body["status"] == response.status_code
    assert set(body) == {"type", "title", "status", "detail", "errors"}
    return body


@pytest.mark.parametrize(
    ("name", "status", "kind"),
    [
        ("http404", 404, "/problems/not-found"),
        ("denied", 403, "about:blank"),
        ("throttled", 429, "/problems/rate-limited"),
        ("ours", 422, "/problems/unreadable-answer"),
        ("validation", 422, "/problems/invalid-request"),
        ("fault", 500, "about:blank"),
    ],
)
def test_every_exception_of_a_view_is_a_problem(client, name, status, kind):
    response = client.get(f"/api/v1/fail/{name}")
    assert (response.status_code, problem(response)["type"]) == (status, kind)


def test_a_fault_of_ours_tells_nothing_of_its_inside(client):
    assert b"secret" not in client.get("/api/v1/fail/fault").content


def test_throttling_says_how_long_to_wait(client):
    response = client.get("/api/v1/fail/throttled")
    assert response["Retry-After"] == "8"
    assert "8 s" in problem(response)["detail"]


def test_errors_carry_field_reason_and_offset(client):
    assert problem(client.get("/api/v1/fail/ours"))["errors"] == [
        {"field": "response.text", "reason": "no digits", "offset": 3}
    ]
    assert problem(client.get("/api/v1/fail/validation"))["errors"] == [
        {"field": "response.choices.1.x", "reason": "odd"}
    ]


@pytest.mark.parametrize(
    ("address", "status"),
    [("/api/v1/outside", 500), ("/api/v1/refused", 403), ("/api/v1/a%0Ab", 404), ("/api/v1", 404)],
)
def test_what_fails_outside_a_view_is_a_problem_too(client, address, status):
    response = client.get(address)
    assert response.status_code == status
    problem(response)


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "head", "options"])
def test_an_unknown_address_is_a_problem_by_any_method(client, method):
    response = getattr(client, method)("/api/v1/no/such/thing")
    assert response.status_code == 404
    if method != "head":
        assert problem(response)["errors"][0]["field"] == "path"


def test_a_host_we_do_not_serve_is_a_problem(client):
    response = client.get("/api/v1/models", headers={"Host": "evil.example"})
    assert response.status_code == 400
    problem(response)


def test_pages_outside_the_api_keep_their_html(client):
    response = client.get("/no-such-page")
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")


@pytest.mark.parametrize(
    ("content_type", "body", "status", "field"),
    [
        ("text/plain", "x", 415, "Content-Type"),
        ("application/x-www-form-urlencoded", "a=1", 415, "Content-Type"),
        ("application/json", "{", 400, "body"),
        ("application/json; charset=utf-16", "{}", 415, "Content-Type"),
    ],
)
def test_bodies_that_are_no_json_are_problems(client, content_type, body, status, field):
    response = client.post("/api/v1/fail/x", body, content_type=content_type)
    assert response.status_code == status
    assert problem(response)["errors"][0]["field"] == field


def test_an_accept_header_we_cannot_meet_is_a_406_problem(client):
    response = client.get("/api/v1/fail/http404", headers={"Accept": "text/csv"})
    assert response.status_code == 406
    assert problem(response)["errors"][0]["field"] == "Accept"


def test_a_method_that_is_not_offered_is_a_405_problem_that_says_which_are(client):
    response = client.delete("/api/v1/fail/http404")
    assert response.status_code == 405
    problem(response)
    assert "GET" in response["Allow"]


@pytest.mark.parametrize("name", PROBLEM_TYPES)
def test_every_problem_type_has_a_public_page(client, name):
    page = client.get(f"/problems/{name}")
    assert page.status_code == 200
    assert PROBLEM_TYPES[name].title in page.content.decode()


def test_an_unknown_problem_type_has_none(client):
    assert client.get("/problems/nonsense").status_code == 404


def test_flatten_names_the_body_when_no_field_is_to_blame():
    assert list(flatten({"non_field_errors": ["not an object"]})) == [FieldError("body", "not an object")]
