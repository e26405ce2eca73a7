"""Addresses of the probes."""

from django.urls import URLPattern, URLResolver, path

from studyhub.operations import health

app_name = "operations"
urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
