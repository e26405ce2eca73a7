"""Asking for a picture: one claim, one message, and no waiting for what is dead."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection

from attention_engine.admission import TooLarge
from attention_engine.broker import register_transport
from attention_engine.spec import VisualizationSpec, make_spec
from attention_engine.store import FrameStore, StoreUnavailable
from studyhub.delivery import read_frames, request_visualization, tensor
from studyhub.delivery.pictures import store as opened_store

register_transport()
HEAVY = make_spec("head_split", {"d_model": 4096, "num_heads": 32, "tokens": 64, "batch": 4})


def spec(seed: int = 0) -> VisualizationSpec:
    return make_spec("head_split", {"d_model": 768, "num_heads": 12}, seed)


def messages(url: str, queue: str = "renders.fast") -> list[dict[str, Any]]:
    """Takes every message that waits: its headers and body."""
    taken = []
    with Connection(url) as connection:
        while message := connection.default_channel.basic_get(queue, no_ack=True):
            taken.append(
                {"headers": message.headers, "body": json.loads(message.body), "type": message.content_type}
            )
    return taken


def test_first_request_sends_the_digest_alone_by_name(settings: Any) -> None:
    requested = request_visualization(spec(), "ben")
    (message,) = messages(settings.CELERY_BROKER_URL)
    assert requested.state == "queued"
    assert message["headers"]["task"] == "attention_engine.render"
    assert message["body"][:2] == [[spec().digest()], {}]
    assert message["type"] == "application/json"


def test_second_request_for_the_same_spec_enqueues_nothing(settings: Any) -> None:
    request_visualization(spec(), "ben")
    request_visualization(spec(), "cy")
    assert len(messages(settings.CELERY_BROKER_URL)) == 1


def test_facts_are_there_before_anything_is_drawn() -> None:
    facts = request_visualization(spec(), "ben").facts
    assert facts["steps"][2]["shape"] == [2, 4, 12, 64]


def test_a_heavy_picture_waits_in_the_heavy_queue(settings: Any) -> None:
    request_visualization(HEAVY, "ben")
    assert messages(settings.CELERY_BROKER_URL) == []
    assert len(messages(settings.CELERY_BROKER_URL, "renders.heavy")) == 1


def test_a_picture_too_large_to_draw_is_refused_before_it_is_claimed(store: FrameStore) -> None:
    large = make_spec("attention_pattern", {"sentence": "word " * 399, "model": "random", "d_model": 8192})
    with pytest.raises(TooLarge):
        request_visualization(large, "ben")
    assert store.read(large.digest()).state == "absent"


def test_reading_a_claim_that_waited_too_long_sends_it_again(
    settings: Any, store: FrameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    request_visualization(spec(), "ben")
    messages(settings.CELERY_BROKER_URL)  # lost on its way
    monkeypatch.setattr(store, "_now", lambda: time.time() + 31)
    assert read_frames(spec().digest()).state == "queued"
    assert len(messages(settings.CELERY_BROKER_URL)) == 1
    read_frames(spec().digest())
    assert messages(settings.CELERY_BROKER_URL) == []


def test_a_reader_is_a_watcher(store: FrameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    request_visualization(spec(), "ben")
    monkeypatch.setattr(store, "_now", lambda: time.time() + 20)
    assert not store.watched(spec().digest())
    read_frames(spec().digest())
    assert store.watched(spec().digest())


def test_a_tensor_is_delivered_as_it_was_put(store: FrameStore) -> None:
    assert tensor(store.put(b"\x00\xff")) == b"\x00\xff"
    assert tensor("0" * 64) is None


@pytest.mark.parametrize(
    "dead", ["redis://127.0.0.1:1/0", "studyhubsqlite:////dev/null/broker.sqlite3"], ids=["redis", "sqlite"]
)
def test_with_a_dead_broker_the_claim_stays_queued_and_nobody_waits(settings: Any, dead: str) -> None:
    settings.CELERY_BROKER_URL = dead
    request_visualization(spec(1), "ben")  # the first use imports the transport
    began = time.monotonic()
    assert request_visualization(spec(2), "ben").state == "queued"
    assert time.monotonic() - began < 5  # 0.05 s where nothing else runs


def test_a_claim_made_while_the_broker_was_dead_is_sent_when_it_is_back(
    settings: Any, store: FrameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive, settings.CELERY_BROKER_URL = settings.CELERY_BROKER_URL, "redis://127.0.0.1:1/0"
    request_visualization(spec(), "ben")
    settings.CELERY_BROKER_URL = alive
    monkeypatch.setattr(store, "_now", lambda: time.time() + 31)
    read_frames(spec().digest())
    assert len(messages(alive)) == 1


@pytest.mark.parametrize("dead", ["redis://127.0.0.1:1/0", "sqlite:////dev/null/frames.sqlite3"])
def test_with_a_dead_store_asking_says_so_at_once(settings: Any, dead: str) -> None:
    settings.FRAMES_URL = dead
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        request_visualization(spec(), "ben")
    assert time.monotonic() - began < 5


def test_two_settings_open_two_stores(settings: Any, store: FrameStore, tmp_path: Path) -> None:
    settings.FRAMES_URL = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    assert opened_store() is not store
