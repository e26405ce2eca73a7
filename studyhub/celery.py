"""The Celery application of the worker. The web process sends by name and never imports this."""

import os

from celery import Celery
from django.conf import settings

from attention_engine import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyhub.settings")
broker.register_transport()

app = Celery("studyhub")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    include=["attention_engine.tasks"],  # imported by the worker alone, and torch only when it is up
    frames_url=settings.FRAMES_URL,
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_acks_late=False,  # leases, not the broker, decide what is drawn again
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    broker_connection_retry_on_startup=True,
)
