"""Addresses under /api/; what is not listed is a problem, not a page."""

from django.urls import URLPattern, URLResolver, path

from studyhub.api import docs, published_models
from studyhub.api.nothing import NothingHere

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", docs.Schema.as_view(), name="schema"),
    path("docs/", docs.Docs.as_view(), name="docs"),
    path("v1/models", published_models.ModelList.as_view(), name="models"),
    path("v1/models/<str:slug>", published_models.ModelRow.as_view(), name="model"),
    path("v1", NothingHere.as_view()),
    path("v1/", NothingHere.as_view()),
    path("v1/<path:rest>", NothingHere.as_view()),
]
