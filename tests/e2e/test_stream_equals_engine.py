"""What arrives over the event stream is what the engine yields in this very process."""

import hashlib
import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from attention_engine.engine import render
from attention_engine.spec import make_spec
from tests.serving import Service
from tests.serving_client import MobileClient, signed_up

pytestmark = pytest.mark.e2e

SPECS = [
    ("answer_executed", {"d_model": 768, "num_heads": 10}),
    ("head_split", {"d_model": 768, "num_heads": 16}),
    ("head_split", {"model": "gemma-7b", "batch": 1}),
    ("attention_pattern", {"sentence": "Heads read the whole input.", "model": "random"}),
]


@pytest.fixture(scope="module")
def client(service: Service) -> MobileClient:
    return signed_up(service, "streamer")


def streamed(client: MobileClient, path: str) -> Iterator[tuple[str, Any]]:
    """(event, data) until done or failed."""
    headers = {"Authorization": f"Bearer {client.token}", "Accept": "text/event-stream"}
    request = urllib.request.Request(f"{client.service.url}{path}", headers=headers)
    event = ""
    with urllib.request.urlopen(request, timeout=60) as answer:
        for raw in answer:
            name, _, value = raw.decode().rstrip("\n").partition(": ")
            if name == "event":
                event = value
            elif name == "data":
                yield event, json.loads(value)
                if event in ("done", "failed"):
                    return


def comparable(frame: dict[str, Any]) -> dict[str, Any]:
    """A frame without how long it took."""
    return {**frame, "stamp": {k: v for k, v in frame["stamp"].items() if k != "ms"}}


@pytest.mark.parametrize(("kind", "parameters"), SPECS)
def test_streamed_frames_and_tensors_equal_a_render_in_process(
    client: MobileClient, kind: str, parameters: dict[str, Any]
) -> None:
    spec = make_spec(kind, parameters)
    status, asked = client.post("/api/v1/visualizations", {"kind": kind, "parameters": parameters, "seed": 0})
    assert status in (200, 202)
    assert asked["digest"] == spec.digest()
    events = list(streamed(client, asked["stream"]))
    assert events[-1][0] == "done", events[-1]
    here = list(render(spec))
    assert [comparable(data) for event, data in events if event == "frame"] == [
        comparable(frame.as_json()) for frame in here
    ]
    for frame in here:
        for tensor, blob in zip(frame.tensors, frame.blobs, strict=True):
            sent = fetched(client, tensor.sha256)
            assert hashlib.sha256(sent).hexdigest() == tensor.sha256
            assert sent == blob


def fetched(client: MobileClient, sha256: str) -> bytes:
    """A tensor's bytes."""
    request = urllib.request.Request(
        f"{client.service.url}/api/v1/tensors/{sha256}", headers={"Authorization": f"Bearer {client.token}"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return bytes(answer.read())
