"""The Celery application. Knows no task by import: they are sent by name."""

import os

from celery import Celery

from attention_engine import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyhub.settings")
broker.register_transport()

app = Celery("studyhub")
app.config_from_object("django.conf:settings", namespace="CELERY")
