"""The schema is valid, warns of nothing, and is easy on generated clients; the docs page keeps our policy."""

import json
import re
from io import StringIO

import pytest
import yaml
from django.core.management import call_command
from django.test import Client


@pytest.fixture(scope="module")
def schema() -> dict:
    out = StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=out)
    return yaml.safe_load(out.getvalue())


def operations(schema: dict) -> list[tuple[str, str, dict]]:
    return [(path, method, op) for path, item in schema["paths"].items() for method, op in item.items()]


def values(node):
    """Every mapping within a JSON tree."""
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from values(inner)


def test_the_schema_validates_without_a_warning(schema):
    assert schema["openapi"] == "3.1.0"
    assert schema["paths"]


def test_every_path_is_below_api_v1(schema):
    assert all(path.startswith("/api/v1/") for path in schema["paths"])


def test_operation_ids_are_unique_words(schema):
    names = [op["operationId"] for _, _, op in operations(schema)]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", name) for name in names)


def test_no_choice_of_shapes_and_no_nullable_enum(schema):
    for node in values(schema):
        assert not {"oneOf", "anyOf"} & set(node)
        if isinstance(node.get("enum"), list):
            assert None not in node["enum"]
            assert node.get("type") != ["string", "null"]


def test_every_operation_needs_a_login_and_documents_its_problems(schema):
    for _path, _method, op in operations(schema):
        assert [next(iter(scheme)) for scheme in op["security"]] == ["bearer", "cookieAuth"]
        assert "401" in op["responses"]
        assert list(op["responses"]["401"]["content"]) == ["application/problem+json"]


def test_every_body_has_an_example(schema):
    for _path, method, op in operations(schema):
        if method == "post":
            assert op["requestBody"]["content"]["application/json"]["examples"]


def test_the_schema_is_served_to_anyone(db):
    response = Client().get("/api/schema/", headers={"Accept": "application/json"})
    assert response.status_code == 200
    assert json.loads(response.content)["info"]["title"] == "StudyHub"


def test_the_docs_page_has_no_inline_script_or_style_and_nothing_from_elsewhere(db):
    page = Client().get("/api/docs/")
    html = page.content.decode()
    assert page.status_code == 200
    assert "unsafe-inline" not in page["Content-Security-Policy"].split("style-src-attr")[0]
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)", html)
    addresses = re.findall(r'(?:src|href)="([^"]*)"', html)
    assert addresses
    assert all(address.startswith("/") and not address.startswith("//") for address in addresses)
    for address in addresses:
        assert Client().get(address.replace("&amp;", "&")).status_code == 200
