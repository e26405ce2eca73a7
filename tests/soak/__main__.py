"""Three devices, thousands of events, every mishap: what is stored is the fold of the set of them.

`python -m tests.soak [--events 10000] [--seed 1]`, on SQLite or, with DATABASE_URL, on PostgreSQL; in a test
database of its own, which goes again.
"""

import argparse
import os
import random
import sys
import tempfile
import time

os.environ.setdefault("STUDYHUB_VAR", tempfile.mkdtemp(prefix="studyhub-soak-"))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyhub.settings")

import django

django.setup()

from django.db import connection
from django.test.runner import DiscoverRunner

from tests.studyhub.study.conftest import make_card, make_topic
from tests.studyhub.study.converging import World

CARDS = 100
FAULTS = ("", "", "killed", "unanswered")


def main() -> int:
    """Exit status: 0 when they converge (anything else raises)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    runner = DiscoverRunner(verbosity=0, interactive=False)
    runner.setup_test_environment()
    databases = runner.setup_databases()
    try:
        told = soak(asked.events, random.Random(asked.seed))
    finally:
        runner.teardown_databases(databases)
    print(told)
    return 0


def soak(events: int, chance: random.Random) -> str:
    """Lets them study and sync, looks at the end, and says what there was."""
    begun, topic = time.monotonic(), make_topic()
    world = World([make_card(f"card-{number}", topic) for number in range(CARDS)])
    # The SQLite of tests lives in its connection, so there only processes die.
    faults = [*FAULTS, "dropped"] if connection.vendor == "postgresql" else [*FAULTS]
    syncs = 0
    while len(world.events) < events:
        device = chance.choice(world.devices)
        world.act(device, chance, min(chance.randint(5, 60), events - len(world.events)))
        world.upload(device, chance, fault=chance.choice(faults), limit=chance.randint(5, 150))
        syncs += 1
    world.settle(chance)
    studied = time.monotonic() - begun
    world.verify(chance)
    whole = time.monotonic() - begun
    return (
        f"{connection.vendor}: {len(world.events)} events of 3 devices in {syncs} syncs, {studied:.0f} s; "
        "memories equal to the fold and to another order, 0 lost, 0 doubled, checkdb clean, "
        f"{whole:.0f} s in all"
    )


if __name__ == "__main__":
    sys.exit(main())
