"""Sends the content security policy with every page. Knows nothing of the pages."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware


def policy_text(policy: dict[str, list[str]]) -> str:
    """`{"img-src": ["'self'"]}` -> `img-src 'self'`, directives joined by semicolons."""
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in policy.items())


@sync_and_async_middleware
def ContentSecurityPolicyMiddleware(get_response: Callable[..., object]) -> Callable[..., object]:  # noqa: N802
    """Adds the header to sync and async responses alike (an event stream must not leave its event loop)."""
    import inspect

    header = policy_text(settings.SECURE_CSP)

    def stamped(response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Content-Security-Policy", header)
        return response

    if inspect.iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            return stamped(await get_response(request))

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        return stamped(get_response(request))  # type: ignore[arg-type]

    return synchronous
