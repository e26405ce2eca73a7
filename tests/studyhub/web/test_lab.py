"""The pages of the lab: who may see them, what they say without a script, what an address asks."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from attention_engine.configs import all_models
from attention_engine.spec import KINDS, make_spec
from studyhub.web.lab_models import model_groups
from studyhub.web.lab_state import OURS, address_query, asked_in
from studyhub.web.plain.finding import edits_of, question_of, start_of

PAGES = ("/lab/", "/lab/head_split/", "/lab/head_split/?num_heads=10", "/lab/nothing/")
STATUS = {"signed in": (200, 200, 422, 404), "nobody": (302, 302, 302, 302)}


@pytest.fixture
def person(db: None) -> User:
    """Somebody who has studied nothing."""
    return User.objects.create_user("ben")


@pytest.fixture
def desk(person: User) -> Client:
    """Their browser."""
    client = Client()
    client.force_login(person)
    return client


def text(page: Any) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page.content.decode())))


def attribute(page: Any, name: str) -> str:
    found = re.search(rf'<study-picture[^>]* {name}="([^"]*)"', page.content.decode())
    return unescape(found[1]) if found else ""


@pytest.mark.parametrize("who", ["nobody", "ada", "ben", "cy", "sol"])
def test_the_lab_is_for_whoever_is_signed_in(db: None, who: str) -> None:
    client = Client()
    if who != "nobody":
        client.force_login(User.objects.create_user(who, is_staff=who in {"ada", "sol"}))
    found = tuple(client.get(address).status_code for address in PAGES)
    assert found == STATUS["nobody" if who == "nobody" else "signed in"]
    assert client.post("/lab/head_split/").status_code in {302, 405}


@pytest.mark.parametrize(("address", "most"), [("/lab/", 2), ("/lab/attention_pattern/", 2)])
def test_a_page_of_the_lab_asks_the_database_who_is_there_and_no_more(
    desk: Client, django_assert_max_num_queries: Any, address: str, most: int
) -> None:
    with django_assert_max_num_queries(most):
        assert desk.get(address).status_code == 200


def test_the_lab_knows_no_card(desk: Client, shelf: None) -> None:
    asked = re.compile(r"answer_type|published_version|/study/\?card=|mutation")
    for kind in KINDS:
        assert not asked.search(desk.get(f"/lab/{kind}/").content.decode())


def test_the_list_asks_the_question_of_every_kind_and_leads_to_it(desk: Client) -> None:
    page = desk.get("/lab/").content.decode()
    for kind in KINDS:
        href = f"/lab/{kind}/{address_query(start_of(kind))}"
        assert f'<a href="{href.replace("&", "&amp;")}">{question_of(kind)}</a>' in page
        assert desk.get(href).status_code == 200
    assert text(desk.get("/lab/")).count(f"{len(KINDS)} kinds of picture") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_itself_in_words_with_a_field_for_every_parameter(desk: Client, kind: str) -> None:
    page = desk.get(f"/lab/{kind}/")
    html = page.content.decode()
    assert f"<h1>{question_of(kind)}</h1>" in html
    for parameter in KINDS[kind].parameters:
        assert f'name="{parameter.name}"' in html
    inside = html.partition("<study-picture")[2].partition("</study-picture>")[0]
    assert len(re.sub(r"<[^>]+>", " ", inside).split()) > 8
    known = {parameter.name for parameter in KINDS[kind].parameters}
    opened = set(attribute(page, "edit").split())
    assert set(edits_of(kind).split()) <= opened <= {*known, "seed"}
    assert ("model" in opened) == ("model" in known)


def test_an_address_gives_the_picture_its_parameters_as_they_are_taken(desk: Client) -> None:
    page = desk.get("/lab/memory_tape/?shape=[2,5,4,8]&ops=transpose(1, 2)&answer_strides=160, 8,32,1&seed=3")
    given = {"shape": [2, 5, 4, 8], "ops": "transpose(1, 2)", "answer_strides": [160, 8, 32, 1]}
    assert json.loads(attribute(page, "parameters")) == given
    assert "(160, 8, 32, 1) reads what the tensor has at every index." in text(page)
    assert attribute(page, "seed") == "3"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("head_split/?num_heads=10", "d_model 768 is not a multiple of num_heads 10 (768 = 10*76 + 8)"),
        (
            "head_split/?num_heads=twelve",
            "num_heads must be a whole number from 1 to 2147483647, not 'twelve'",
        ),
        ("head_split/?num_heads=" + "9" * 400, "num_heads must be a whole number"),
        ("head_split/?model=bert-bass", 'no model "bert-bass" in the table of'),
        ("attention_pattern/?layer=6", "layer 6 does not exist: minilm has layers 0 to 5"),
        ("memory_tape/?shape=[2,x]", "shape must be a whole number from 1"),
        ("head_split/?seed=-1", "seed must be a whole number from 0"),
    ],
)
def test_numbers_that_cannot_be_are_refused_in_a_sentence_and_stay_in_their_field(
    desk: Client, address: str, said: str
) -> None:
    page = desk.get(f"/lab/{address}")
    assert page.status_code == 422
    assert said in text(page)
    assert "<study-picture" not in page.content.decode()
    name, _, typed = address.partition("?")[2].partition("=")
    field = rf'name="{name}"[^>]*value="{re.escape(typed)}"'
    assert name == "model" or re.search(field, page.content.decode())


def test_names_of_no_parameter_in_an_address_are_passed_over(desk: Client) -> None:
    page = desk.get("/lab/head_split/?model=bert-base&utm=1&show=transpose&at=1.2.3")
    assert json.loads(attribute(page, "parameters")) == {"model": "bert-base"}


def test_hostile_text_in_an_address_stays_text(desk: Client) -> None:
    page = desk.get("/lab/attention_pattern/", {"sentence": '<b onclick="x">"&it'}).content.decode()
    assert "<b onclick" not in page
    assert "&lt;b onclick=" in page


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            "head_split/?model=llama-3-70b",
            "Llama-3 70B: 80 layers, H = 64 , H_kv = 8 , D = 128 , d_model = 8,192",
        ),
        ("attention_pattern/", "MiniLM-L6, a trained encoder: 6 layers, H = 12 , D = 32 , d_model = 384"),
        ("attention_pattern/?model=random", "A random layer: 1 layer, H = 4 , D = 16 , d_model = 64"),
    ],
)
def test_the_head_of_the_page_says_whose_numbers_they_are(desk: Client, address: str, said: str) -> None:
    assert said in text(desk.get(f"/lab/{address}"))


def test_no_parameter_has_the_name_of_what_an_address_says_besides() -> None:
    taken = {one.name for kind in KINDS.values() for one in kind.parameters}
    assert taken.isdisjoint(OURS)


@pytest.mark.parametrize("kind", KINDS)
def test_an_address_made_of_a_picture_asks_for_that_picture(kind: str) -> None:
    spec = make_spec(kind, start_of(kind), 0)
    query = dict(pair for pair in _pairs(address_query(spec.parameters)))
    assert asked_in(kind, query).spec == spec


def _pairs(query: str) -> list[tuple[str, str]]:
    from urllib.parse import parse_qsl

    return parse_qsl(query.lstrip("?"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_stands_in_the_list_of_a_kind_where_a_picture_can_be_made_of_it(kind: str) -> None:
    groups = {group.title: [one.value for one in group.choices] for group in model_groups(kind)}
    listed = groups.get("Published sizes", [])
    if not any(one.name == "model" for one in KINDS[kind].parameters):
        assert groups == {}
        return
    for config in all_models():
        assert (asked_in(kind, {"model": config.slug}).spec is not None) == (config.slug in listed)
