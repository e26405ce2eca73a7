"""How long an answer may be: one place says it, to the page and to the API."""

import pytest

from cards.grading import (
    LONGEST_ID,
    LONGEST_TABLE,
    LONGEST_TEXT,
    MOST_PARTS,
    Unreadable,
    read_response,
)

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(
    ("response", "field", "number"),
    [
        ({"text": "x" * (LONGEST_TEXT + 1)}, "text", "4097"),
        ({"text": "x" * 900_000}, "text", "900000"),
        ({"choices": ["a"] * (MOST_PARTS + 1)}, "choices", "65"),
        ({"choices": ["x" * (LONGEST_ID + 1)]}, "choices", "80"),
        ({"order": ["a"] * (MOST_PARTS + 1)}, "order", "65"),
        ({"order": ["x" * (LONGEST_ID + 1)]}, "order", "80"),
        ({"cells": {"x" * (LONGEST_ID + 1): "1"}}, "cells", "80"),
        ({"cells": {"a": "x" * (LONGEST_TEXT + 1)}}, "cells.a", "4097"),
        ({"cells": {str(n): "1" for n in range(MOST_PARTS + 1)}}, "cells", "65"),
        ({"cells": {str(n): "x" * 1000 for n in range(17)}}, "cells", "17000"),
    ],
)
def test_too_long_an_answer_is_unreadable_and_says_how_long_it_is(response, field, number):
    with pytest.raises(Unreadable, match=number) as refusal:
        read_response(response)
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("response", "field"),
    [
        ([], "response"),
        ({"text": 12}, "text"),
        ({"choices": "abc"}, "choices"),
        ({"order": [1]}, "order"),
        ({"cells": [1]}, "cells"),
        ({"cells": {"a": 1}}, "cells.a"),
        ({"cells": {1: "a"}}, "cells"),
        ({"revealed": "yes"}, "revealed"),
    ],
)
def test_a_value_of_the_wrong_type_is_unreadable(response, field):
    with pytest.raises(Unreadable) as refusal:
        read_response(response)
    assert refusal.value.field == field


def test_an_answer_of_the_greatest_length_is_read():
    ids = ["x" * LONGEST_ID] * MOST_PARTS
    cells = {str(n): "x" * (LONGEST_TABLE // MOST_PARTS) for n in range(MOST_PARTS)}
    read = read_response({"text": "x" * LONGEST_TEXT, "choices": ids, "order": ids, "cells": cells})
    assert (len(read.text), len(read.choices), len(read.order), len(read.cells)) == (4096, 64, 64, 64)
