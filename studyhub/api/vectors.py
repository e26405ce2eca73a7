"""Published test vectors: what a grader in another language has to say. Knows no learner."""

from django.http import HttpResponse, HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from cards.vector_files import UnknownVectors, vector_file
from studyhub.api.problems.problem import not_found
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, header, in_path, operation
from studyhub.api.schema.shapes import VectorsShape

TYPE = in_path("answer_type", {"type": "string", "maxLength": 40}, "One that is graded offline, as choice.")
KNOWN = header("If-None-Match", {"type": "string"}, "The ETag of the vectors you have.")


class Vectors(APIView):
    """GET the vectors of one answer type."""

    @operation(
        "get_vectors",
        {200: VectorsShape, 304: None},
        parameters=[TYPE, KNOWN],
        examples=[answered("A choice", examples.VECTORS)],
    )
    def get(self, request: Request, answer_type: str) -> HttpResponseBase:
        """Questions, responses and the verdict each must get, for an answer type that is graded offline."""
        try:
            body, etag = vector_file(answer_type)
        except UnknownVectors as error:
            raise not_found(str(error), "answer_type") from error
        headers = {"ETag": etag, "Cache-Control": "private, max-age=3600"}
        if etag in request.headers.get("If-None-Match", ""):
            return HttpResponse(status=304, headers=headers)
        return HttpResponse(body, content_type="application/json", headers=headers)
