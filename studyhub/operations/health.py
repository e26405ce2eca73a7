"""Two probes: is this process alive, and can it serve. Knows nothing of what it serves."""

from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu import Connection
from kombu.exceptions import OperationalError

from attention_engine.broker import register_transport
from attention_engine.store import StoreUnavailable, open_store

TIMEOUT = 0.3  # seconds for each word with a broker


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """200 while the process answers. Touches no database."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(_request: HttpRequest) -> HttpResponse:
    """503 without the database, since nothing works then; broker, frames and worker are reported only."""
    report = {name: _said(probe) for name, probe in PROBES.items()}
    ready = report["database"] == "ok"
    return JsonResponse({"ready": ready, **report}, status=200 if ready else 503)


def _said(probe: Callable[[], str]) -> str:
    try:
        return probe()
    except (DatabaseError, StoreUnavailable, OperationalError, OSError, ValueError):
        return "away"


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def _broker() -> str:
    register_transport()
    options = {"socket_timeout": TIMEOUT, "socket_connect_timeout": TIMEOUT}
    with Connection(settings.CELERY_BROKER_URL, transport_options=options) as broker:
        try:
            broker.transport.establish_connection()
        except broker.connection_errors as error:
            raise OperationalError(str(error)) from error
    return "ok"


def _frames() -> str:
    open_store(settings.FRAMES_URL).ping()
    return "ok"


def _worker() -> str:
    return "ok" if open_store(settings.FRAMES_URL).workers() else "away"


PROBES = {"database": _database, "broker": _broker, "frames": _frames, "worker": _worker}
