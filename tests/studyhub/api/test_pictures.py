"""Pictures over HTTP: asked for, polled, streamed where streams can be held, and their tensors."""

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient, Client

from attention_engine.frames import Frame
from attention_engine.spec import make_spec
from attention_engine.store import FrameStore, rules
from studyhub.delivery import pictures

BERT = {"kind": "head_split", "parameters": {"d_model": 768, "num_heads": 12}}
SPEC = make_spec(**BERT)
DIGEST = SPEC.digest()
NOBODY = "f" * 64


@pytest.fixture(autouse=True)
def store(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FrameStore:
    monkeypatch.setattr(rules, "life", lambda now: 0)  # so that the first event id is 1-1
    settings.FRAMES_URL = f"sqlite:///{tmp_path / 'frames.sqlite3'}"
    settings.CELERY_BROKER_URL = f"studyhubsqlite:///{tmp_path / 'broker.sqlite3'}"
    return pictures.store()


@pytest.fixture
def api(as_user: Any, ben: Any) -> Any:
    return as_user(ben)


def draw(store: FrameStore, frames: int = 2) -> None:
    """As a worker would."""
    lease = store.start(DIGEST)
    assert lease
    for n in range(frames):
        store.append(lease.token, Frame(step=f"step {n}", layout="text", title="", sentence="", n=n))
    store.finish(lease.token)


def test_asking_gives_an_address_two_ways_to_follow_and_the_facts(api: Any) -> None:
    response = api.post("visualizations", BERT)
    body = response.json()
    assert response.status_code == 202
    assert (body["digest"], body["state"]) == (DIGEST, "queued")
    assert body["stream"] == f"/api/v1/streams/{DIGEST}"
    assert body["poll"] == f"/api/v1/visualizations/{DIGEST}"
    assert body["facts"]["steps"][0]["step"] == "input"


def test_asking_for_what_is_drawn_answers_200(api: Any, store: FrameStore) -> None:
    store.claim(SPEC, "cy")
    draw(store)
    response = api.post("visualizations", BERT)
    assert (response.status_code, response.json()["state"]) == (200, "done")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kind": "horoscope"}, "kind"),
        ({"parameters": {"d_model": 768, "num_heads": 10}}, "parameters.num_heads"),
        ({"parameters": {"heads": 12}}, "parameters.heads"),
        ({"parameters": {"d_model": "768", "num_heads": 12}}, "parameters.d_model"),
    ],
)
def test_a_picture_that_does_not_work_out_names_the_field(
    api: Any, problem: Any, change: dict[str, Any], field: str
) -> None:
    name, reasons = problem(api.post("visualizations", BERT | change), 422)
    assert (name, list(reasons)) == ("invalid-config", [field])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"parameters": []}, "parameters"),
        ({"parameters": {f"p{n}": n for n in range(33)}}, "parameters"),
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": 2**31}, "seed"),
        ({"kind": 7}, "kind"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_body_of_another_form_is_refused_by_field(
    api: Any, problem: Any, change: dict[str, Any], field: str
) -> None:
    name, reasons = problem(api.post("visualizations", BERT | change), 422)
    assert (name, list(reasons)) == ("invalid-request", [field])


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("q.vieww(2)", "vieww(2)"),
        ("# Köpfe\n    q @ kk", "kk"),
        ("q × −1 +\tq.item()", "item()"),
        ("q; import os", "import os"),
    ],
)
def test_a_program_that_cannot_be_read_is_told_with_its_place(api: Any, text: str, rest: str) -> None:
    asked = {"kind": "answer_executed", "parameters": {"d_model": 768, "num_heads": 12, "program": text}}
    response = api.post("visualizations", asked)
    assert (response.status_code, response.json()["type"]) == (422, "/problems/invalid-config")
    [error] = response.json()["errors"]
    assert error["field"] == "parameters.program"
    assert text[error["offset"] :] == rest
    assert f"(character {error['offset'] + 1})" in error["reason"]


def test_what_is_wrong_with_no_place_in_a_text_has_no_offset(api: Any) -> None:
    asked = {"kind": "head_split", "parameters": {"d_model": 768, "num_heads": 10}}
    [error] = api.post("visualizations", asked).json()["errors"]
    assert "offset" not in error


def test_too_large_a_picture_is_refused_with_the_way_out(api: Any, problem: Any) -> None:
    words = {"sentence": "word " * 399, "model": "random", "d_model": 8192}
    response = api.post("visualizations", {"kind": "attention_pattern", "parameters": words})
    name, reasons = problem(response, 422)
    assert name == "too-large-shape"
    assert "above" in reasons["parameters"]


def test_a_fourth_unfinished_picture_answers_429_and_when_to_come_back(api: Any, problem: Any) -> None:
    for seed in range(3):
        assert api.post("visualizations", BERT | {"seed": seed}).status_code == 202
    response = api.post("visualizations", BERT | {"seed": 3})
    assert problem(response, 429)[0] == "queue-full"
    assert response["Retry-After"] == "2"


def test_two_hundred_unfinished_pictures_answer_503(api: Any, problem: Any, store: FrameStore) -> None:
    for seed in range(1, 201):
        store.claim(make_spec(**BERT, seed=seed), f"learner {seed}")
    assert problem(api.post("visualizations", BERT), 503)[0] == "queue-full"


def test_the_61st_picture_within_a_minute_is_one_too_many(api: Any, problem: Any, store: FrameStore) -> None:
    store.claim(SPEC, "ben")
    draw(store)
    for _ in range(60):
        assert api.post("visualizations", BERT).status_code == 200
    assert problem(api.post("visualizations", BERT), 429)[0] == "rate-limited"


def test_a_dead_broker_still_answers_202(api: Any, settings: Any) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert api.post("visualizations", BERT).status_code == 202


@pytest.mark.parametrize("path", [f"visualizations/{DIGEST}", f"tensors/{NOBODY}"])
def test_a_dead_store_answers_503_to_readers(api: Any, problem: Any, settings: Any, path: str) -> None:
    settings.FRAMES_URL = "redis://127.0.0.1:1/0"
    assert problem(api.get(path), 503)[0] == "pictures-unavailable"
    assert problem(api.post("visualizations", BERT), 503)[0] == "pictures-unavailable"


def test_polling_gives_the_frames_after_an_event_id(api: Any, store: FrameStore) -> None:
    api.post("visualizations", BERT)
    waiting = api.get(f"visualizations/{DIGEST}").json()
    assert waiting == {
        "state": "queued",
        "reset": False,
        "frames": [],
        "code": "",
        "sentence": "",
        "retry_after_ms": 250,
    }
    draw(store)
    drawn = api.get(f"visualizations/{DIGEST}").json()
    assert (drawn["state"], drawn["retry_after_ms"]) == ("done", 0)
    assert [(f["id"], f["frame"]["step"]) for f in drawn["frames"]] == [("1-1", "step 0"), ("1-2", "step 1")]
    late = api.get(f"visualizations/{DIGEST}", data={"after": "1-1"}).json()
    assert [f["id"] for f in late["frames"]] == ["1-2"]


def test_polling_a_failed_picture_says_why(api: Any, store: FrameStore) -> None:
    api.post("visualizations", BERT)
    lease = store.start(DIGEST)
    assert lease
    store.fail(lease.token, "too-large", "too many bytes")
    body = api.get(f"visualizations/{DIGEST}").json()
    assert (body["state"], body["code"], body["sentence"]) == ("failed", "too-large", "too many bytes")


@pytest.mark.parametrize("path", ["visualizations", "tensors"])
@pytest.mark.parametrize("address", [NOBODY, "x", DIGEST.upper(), "%00", DIGEST + "0", "..%2f..%2fetc"])
def test_an_address_that_leads_nowhere_is_not_found(api: Any, problem: Any, path: str, address: str) -> None:
    assert problem(api.get(f"{path}/{address}"), 404)[0] == "not-found"


@pytest.mark.parametrize("path", [f"visualizations/{DIGEST}", f"streams/{DIGEST}", f"tensors/{NOBODY}"])
def test_a_stranger_without_a_login_gets_401(db: None, problem: Any, path: str) -> None:
    problem(Client().get(f"/api/v1/{path}"), 401)


def test_anyone_signed_in_who_knows_the_digest_may_look(as_user: Any, cy: Any, api: Any) -> None:
    api.post("visualizations", BERT)
    assert as_user(cy).get(f"visualizations/{DIGEST}").status_code == 200


def test_a_tensor_is_immutable_and_has_an_etag(api: Any, store: FrameStore) -> None:
    sha256 = store.put(b"\x00\x01\x02")
    response = api.get(f"tensors/{sha256}")
    assert response.content == b"\x00\x01\x02"
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    again = api.get(f"tensors/{sha256}", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_large_tensor_is_packed_for_who_can_unpack_it(api: Any, store: FrameStore) -> None:
    body = bytes(range(256)) * 64
    sha256 = store.put(body)
    packed = api.get(f"tensors/{sha256}", headers={"Accept-Encoding": "br, gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == body
    assert api.get(f"tensors/{sha256}").content == body


def test_under_wsgi_the_stream_is_elsewhere(api: Any, problem: Any) -> None:
    api.post("visualizations", BERT)
    response = api.get(f"streams/{DIGEST}", headers={"Accept": "text/event-stream"})
    assert problem(response, 503)[0] == "stream-elsewhere"


# ---- under ASGI


def streamed(user: Any, digest: str, **headers: str) -> tuple[Any, bytes]:
    """(response, body) of the stream as an ASGI server would serve it."""

    async def scene() -> tuple[Any, bytes]:
        client = AsyncClient()
        await client.aforce_login(user)
        response = await client.get(f"/api/v1/streams/{digest}", headers=headers)
        await sync_to_async(connections.close_all)()  # the test client leaves that to the server
        if not response.streaming:
            return response, response.content
        assert response.is_async
        return response, b"".join([piece async for piece in response.streaming_content])

    return asyncio.run(asyncio.wait_for(scene(), 20))


@pytest.fixture
def drawn(store: FrameStore) -> FrameStore:
    store.claim(SPEC, "ben")
    draw(store)
    return store


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("accept", ["text/event-stream", "*/*"])
def test_the_stream_tells_every_frame_and_is_cached_by_nobody(
    ben: Any, drawn: FrameStore, accept: str
) -> None:
    response, body = streamed(ben, DIGEST, Accept=accept)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/event-stream"
    assert response["Cache-Control"] == "no-cache"
    assert response["X-Accel-Buffering"] == "no"
    assert body.startswith(b"retry: 2000\n\n")
    assert body.count(b"event: frame\n") == 2
    assert body.endswith(b'id: 1-3\nevent: done\ndata: {"frames":2}\n\n')


@pytest.mark.django_db(transaction=True)
def test_a_stream_is_packed_for_whoever_can_unpack_it(ben: Any, drawn: FrameStore) -> None:
    _, plain = streamed(ben, DIGEST)
    response, body = streamed(ben, DIGEST, **{"Accept-Encoding": "gzip, br"})
    assert (response["Content-Encoding"], response["Vary"]) == ("gzip", "Accept-Encoding, Cookie")
    assert gzip.decompress(body) == plain


@pytest.mark.django_db(transaction=True)
def test_a_stream_resumes_after_the_last_event_id(ben: Any, drawn: FrameStore) -> None:
    _, body = streamed(ben, DIGEST, **{"Last-Event-ID": "1-1"})
    assert [line for line in body.decode().splitlines() if line.startswith("id:")] == ["id: 1-2", "id: 1-3"]


@pytest.mark.django_db(transaction=True)
def test_a_reconnect_after_the_end_gets_204(ben: Any, drawn: FrameStore) -> None:
    response, body = streamed(ben, DIGEST, **{"Last-Event-ID": "1-3"})
    assert (response.status_code, body) == (204, b"")


@pytest.mark.django_db(transaction=True)
def test_a_stream_of_nothing_is_a_problem(ben: Any) -> None:
    response, body = streamed(ben, NOBODY, Accept="text/event-stream")
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert json.loads(body)["type"] == "/problems/not-found"
