"""Addresses under /api/; what is not listed is a problem, not a page."""

from django.urls import URLPattern, URLResolver, path

from studyhub.api.nothing import NothingHere

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [
    path("v1", NothingHere.as_view()),
    path("v1/<path:rest>", NothingHere.as_view()),
    path("v1/", NothingHere.as_view()),
]
