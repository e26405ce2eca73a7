"""Tells the workers that a picture is waiting. Knows the task by name alone, and waits for no broker."""

import logging
from functools import cache

from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

from attention_engine.broker import register_transport

log = logging.getLogger(__name__)
RENDER = "attention_engine.render"
TIMEOUT = 0.3  # seconds for each word with the broker
ONE_TRY = {"max_retries": 0}  # retry=False would go on reconnecting for 6 s


def send(digest: str, queue: str) -> bool:
    """True when the broker has the message; a claim whose message is lost is sent again by its readers."""
    try:
        _application(settings.CELERY_BROKER_URL).send_task(
            RENDER, args=[digest], queue=queue, ignore_result=True, retry=True, retry_policy=ONE_TRY
        )
    except (OperationalError, OSError) as error:
        log.warning("picture %s stays queued: the broker does not answer (%s)", digest, error)
        return False
    return True


@cache
def _application(broker_url: str) -> Celery:
    """An application that only sends: its short timeouts would starve a worker's blocking reads."""
    register_transport()
    application = Celery("studyhub-publisher", broker=broker_url, set_as_current=False)
    application.conf.update(
        task_serializer="json",
        broker_connection_timeout=TIMEOUT,
        broker_transport_options={"socket_timeout": TIMEOUT, "socket_connect_timeout": TIMEOUT},
    )
    return application
