"""What the processes of the broker's tests run: producers, consumers, and a Celery worker with one task."""

import os
import sys
import time
from pathlib import Path

from celery import Celery
from kombu import Connection, Queue

from attention_engine import broker

broker.register_transport()
app = Celery("broker_tests", broker=os.environ.get("TEST_BROKER", "memory://"))
app.conf.update(
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    task_ignore_result=True,
    broker_connection_retry_on_startup=True,
    task_default_queue=os.environ.get("TEST_QUEUE", "celery"),
)


@app.task(name="note_arrival")
def note_arrival(sent: float, path: str) -> None:
    """Appends how long the message took, in milliseconds."""
    with open(path, "a") as file:
        file.write(f"{(time.time() - sent) * 1000:.1f}\n")


def produce(url: str, queue: str, first: int, count: int) -> None:
    """Publishes the numbers first .. first + count - 1."""
    with Connection(url) as connection, connection.Producer() as producer:
        for number in range(first, first + count):
            producer.publish({"number": number}, routing_key=queue, declare=[Queue(queue, routing_key=queue)])


def consume(url: str, queue: str, path: str) -> None:
    """Notes every number it gets, until 2 s pass without one."""
    numbers: list[int] = []

    def on_message(body: dict[str, int], message: object) -> None:
        numbers.append(body["number"])
        message.ack()  # type: ignore[attr-defined]

    with Connection(url) as connection:
        consumer = connection.Consumer(Queue(queue, routing_key=queue), callbacks=[on_message])
        with consumer:
            quiet_since = time.monotonic()
            while time.monotonic() - quiet_since < 2:
                try:
                    connection.drain_events(timeout=0.2)
                    quiet_since = time.monotonic()
                except TimeoutError:
                    continue
    Path(path).write_text("\n".join(map(str, numbers)))


if __name__ == "__main__":
    if sys.argv[1] == "produce":
        produce(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        consume(*sys.argv[2:5])
