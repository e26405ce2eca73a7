"""Tells the workers that a picture is waiting. Knows the task by name alone, and waits for no broker."""

from attention_engine.admission import Cost
from attention_engine.draining import FLOPS
from studyhub.operations import messages

RENDER = "attention_engine.render"


def send(digest: str, cost: Cost) -> bool:
    """True when the broker has the message; a claim whose message is lost is sent again by its readers.

    The message says what was admitted, so that a worker can tell how many it may draw together."""
    return messages.send(RENDER, digest, cost.queue, {FLOPS: cost.flops})
