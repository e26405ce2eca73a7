"""The answer of every address under /api/v1/ that leads nowhere."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from studyhub.api.problems.problem import not_found


@extend_schema(exclude=True)
class NothingHere(APIView):
    """Any method, signed in or not: 404 as a problem."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Refuses before anything is read. Raises Problem 404."""
        raise not_found(f"There is no {request.path[:200]} here.", "path")
