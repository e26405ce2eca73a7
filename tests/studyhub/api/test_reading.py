"""The queue, the topics and the models: what clients read, and what they never see."""

import json

import pytest

from cards.models import Card


def test_the_queue_asks_every_published_card_of_a_new_learner(learner_api, shelf):
    items = learner_api.get("study/queue").json()
    published = Card.objects.filter(state=Card.State.PUBLISHED)
    assert {item["card"] for item in items} == {str(card.uuid) for card in published}


def test_the_question_in_words_carries_no_markup(learner_api):
    for item in learner_api.get("study/queue").json():
        assert not set("$\\") & set(item["prompt_text"])
        assert "<" not in item["prompt_text"] or "<pre>" in item["prompt_html"]


def test_an_item_has_exactly_the_members_of_the_contract(learner_api):
    for item in learner_api.get("study/queue").json():
        assert set(item) == {
            *("card", "card_version", "variant_seed", "answer_type", "prompt_html", "prompt_text"),
            *("input", "state", "due", "intervals", "offline", "draw", "practice"),
        }
        assert set(item["input"]) == {
            *("options", "items", "unit", "placeholder", "hint", "lines", "many", "distractors"),
            *("given", "table", "cloze"),
        }
        assert set(item["intervals"]) == {"again", "hard", "good", "easy"}
        assert (item["state"], item["due"], item["practice"]) == ("new", None, False)
        assert 0 <= item["draw"] < 1


def test_the_queue_gives_away_no_key_no_mistake_and_no_picture(learner_api):
    text = json.dumps(learner_api.get("study/queue").json())
    for secret in (
        "smallest_divisor_above",
        "width_for_heads",
        "owns_a_part",
        "correct",
        "answer_executed",
        "Names the kernels",
        "called_a_law",
    ):
        assert secret not in text


def test_a_card_rated_good_leaves_the_queue_for_now(learner_api, shelf):
    body = shelf.attempt("heads", response={"text": "12"})
    learner_api.post("attempts", body)
    learner_api.post("reviews", shelf.review(attempt=body["id"], rating="easy"))
    assert body["card"] not in {item["card"] for item in learner_api.get("study/queue").json()}


@pytest.mark.parametrize("limit", ["1", "2", "50"])
def test_limit_bounds_the_queue(learner_api, limit):
    assert len(learner_api.get(f"study/queue?limit={limit}").json()) == min(int(limit), 5)


@pytest.mark.parametrize("limit", ["0", "51", "-1", "x", "", "1e3", "٣", "9" * 5000, "1.0", "%00"])
def test_a_limit_out_of_bounds_is_named(learner_api, problem, limit):
    assert problem(learner_api.get(f"study/queue?limit={limit}"), 422)[1] == {
        "limit": "must be an integer from 1 to 50"
    }


def test_the_queue_of_one_topic(learner_api, problem):
    assert len(learner_api.get("study/queue?topic=d-head").json()) == 5
    assert problem(learner_api.get("study/queue?topic=elsewhere"), 404)[0] == "not-found"
    assert set(problem(learner_api.get("study/queue?topic=%00"), 422)[1]) == {"topic"}


def test_the_queue_takes_a_few_queries_however_many_cards(learner_api, django_assert_max_num_queries):
    with django_assert_max_num_queries(20):
        learner_api.get("study/queue")


def test_topics_are_listed_with_their_number_of_cards(learner_api):
    assert learner_api.get("topics").json() == [
        {"slug": "d-head", "title": "d_head", "deck": "transformers", "position": 0, "cards": 5}
    ]


def test_a_topic_has_its_sections_as_html_and_what_is_waiting(learner_api, problem):
    topic = learner_api.get("topics/d-head").json()
    assert topic["sections"] == [{"kind": "rule", "title": "The rule", "html": "<p>x</p>", "read_seconds": 9}]
    assert (len(topic["cards"]), topic["due"], topic["new"]) == (5, 0, 5)
    assert problem(learner_api.get("topics/none"), 404)[1] == {"slug": "no topic none"}


def test_models_have_numbers_and_sources(learner_api, problem):
    rows = {row["slug"]: row for row in learner_api.get("models").json()}
    assert (rows["bert-base"]["d_model"], rows["bert-base"]["num_heads"]) == (768, 12)
    assert all(row["source"] for row in rows.values())
    assert learner_api.get("models/bert-base").json() == rows["bert-base"]
    name, errors = problem(learner_api.get("models/bert-bse"), 404)
    assert name == "not-found"
    assert "bert-base" in errors["slug"]
