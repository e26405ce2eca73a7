"""Published models' numbers, with their sources. Knows no learner."""

from dataclasses import asdict
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from attention_engine.configs import ModelConfig, UnknownModel, all_models, model
from studyhub.api.problems import not_found
from studyhub.api.requests import path_slug
from studyhub.api.schema import in_path, operation
from studyhub.api.shapes import ModelShape

SLUG = in_path("slug", {"type": "string", "maxLength": 80}, "Such as bert-base.")
_SHOWN = tuple(ModelShape().fields)


class ModelList(APIView):
    """The whole table."""

    @operation("list_models", {200: ModelShape(many=True)})
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """Every model."""
        return Response([_row(config) for config in all_models()])


class ModelRow(APIView):
    """One line of the table."""

    @operation("get_model", {200: ModelShape}, parameters=[SLUG])
    def get(self, request: Request, slug: str) -> Response:  # noqa: ARG002
        """One model."""
        try:
            return Response(_row(model(path_slug(slug, "model"))))
        except UnknownModel as error:
            raise not_found(str(error), "slug") from error


def _row(config: ModelConfig) -> dict[str, Any]:
    """The columns of the table that the API shows."""
    columns = asdict(config)
    return {name: columns[name] for name in _SHOWN}
