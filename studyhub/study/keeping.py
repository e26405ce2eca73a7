"""Where this process keeps, for minutes, what was counted for a learner. Apart from the counters of requests.

Each process has its own; losing it costs a second count, never a wrong one.
"""

from django.core.cache import caches
from django.utils.connection import ConnectionProxy

KEPT_SECONDS = 600
kept = ConnectionProxy(caches, "study")
