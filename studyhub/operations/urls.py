"""Addresses of the probes."""

from django.urls import URLPattern, URLResolver

app_name = "operations"
urlpatterns: list[URLPattern | URLResolver] = []
