"""How the API describes itself: OpenAPI, shapes, examples and the docs page."""
