"""Whatever way events come, shuffled, twice, late, cut off: the memories are the fold of the set of them."""

import random

import pytest
from django.db import connection
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.sampling import tries

from .conftest import make_card, make_topic
from .converging import World

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
EVENTS = 200
CHANCES = st.integers(0, 2**32).map(random.Random)
DEVICES = st.integers(0, 2)


@pytest.fixture
def cards(db):
    """Few, so that lines meet."""
    topic = make_topic()
    return [make_card(f"card-{number}", topic) for number in range(8)]


def test_every_interleaving_gives_the_fold_of_the_set_of_events(cards):
    faults = ["", "", "killed", "unanswered"]
    if connection.vendor == "postgresql":  # the SQLite of tests lives in its connection
        faults.append("dropped")

    class Devices(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.world = World(cards)
            self.last = random.Random(0)

        @rule(device=DEVICES, chance=CHANCES, number=st.integers(10, 30))
        @precondition(lambda self: len(self.world.events) < EVENTS)
        def study(self, device, chance, number):
            self.world.act(self.world.devices[device], chance, number)

        @rule(device=DEVICES, chance=CHANCES, fault=st.sampled_from(faults), limit=st.integers(5, 60))
        def sync(self, device, chance, fault, limit):
            self.world.upload(self.world.devices[device], chance, fault=fault, limit=limit)

        def teardown(self):
            room = EVENTS - len(self.world.events)
            for device in self.world.devices:
                self.world.act(device, self.last, room // 3)
            self.world.settle(self.last)
            self.world.verify(self.last)

    tried = settings(
        max_examples=tries(100), stateful_step_count=16, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(Devices, settings=tried)
