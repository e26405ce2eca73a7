"""Examples shown in the schema: one learner, one card, one afternoon."""

from typing import Any

CARD = "5b3a4f0e-7d1c-5f0a-9c55-0d6f1f2a9b10"
ATTEMPT_ID = "0192f0c1-7b1e-7cc3-8b3a-5d0f3c9a1e42"
REVIEW_ID = "0192f0c1-9d02-7aa1-9f0e-2b7c4d5e6f70"
INTERVALS = {"again": 60, "hard": 360, "good": 600, "easy": 691200}

QUEUE: list[dict[str, Any]] = [
    {
        "card": CARD,
        "card_version": 1,
        "variant_seed": 0,
        "answer_type": "numeric",
        "offline": True,
        "prompt_html": "<p>BERT-base has d_model 768 and heads of width 64. How many heads?</p>",
        "prompt_text": "BERT-base has d_model 768 and heads of width 64. How many heads?",
        "input": {
            "options": [],
            "items": [],
            "unit": "heads",
            "placeholder": "",
            "hint": "",
            "lines": 1,
            "many": False,
            "distractors": False,
            "given": [],
            "table": {"columns": [], "rows": []},
            "cloze": {"pieces": []},
        },
        "state": "new",
        "due": None,
        "intervals": INTERVALS,
    }
]
ATTEMPT_SENT = {
    "id": ATTEMPT_ID,
    "card": CARD,
    "card_version": 1,
    "variant_seed": 0,
    "response": {"text": "10"},
    "elapsed_ms": 8200,
    "assisted": False,
    "time_zone": "Europe/Berlin",
}
GRADE: dict[str, Any] = {
    "outcome": "incorrect",
    "score": 0.0,
    "mistake": "",
    "title": "10 does not divide 768",
    "feedback_html": "<p>768 = 10*76 + 8; nearest that divide: 8, 12.</p>",
    "place": None,
    "read_as": "10",
    "read_as_mathml": "<math><mn>10</mn></math>",
    "notes": [],
    "key_text": "12",
    "parts": [],
    "pending": "",
    "facts": {"quotient": 76, "remainder": 8},
    "pictures": [
        {
            "role": "yours",
            "kind": "answer_executed",
            "parameters": {"model": "bert-base", "num_heads": 10},
            "seed": 0,
        }
    ],
}
ATTEMPT = {
    "id": ATTEMPT_ID,
    "grade": GRADE,
    "suggested_rating": "again",
    "reason": "Suggested: Again, a miss",
    "intervals": INTERVALS,
}
REVIEW_SENT = {
    "id": REVIEW_ID,
    "attempt": ATTEMPT_ID,
    "rating": "again",
    "answered_at": "2026-11-30T09:15:00+01:00",
    "time_zone": "Europe/Berlin",
    "device": "phone",
    "device_sequence": 17,
}
REVIEW_OFFLINE = {
    **{name: value for name, value in REVIEW_SENT.items() if name != "attempt"},
    "card": CARD,
    "card_version": 1,
    "response": {"text": "10"},
}
REVIEW = {
    "review": REVIEW_ID,
    "grade": GRADE,
    "due": "2026-11-30T08:16:00Z",
    "state": "learning",
    "intervals": INTERVALS,
}
VOID_SENT = {"id": "0192f0c2-0101-7d4e-a1b2-c3d4e5f60718"}
VOID = {"review": REVIEW_ID, "due": None, "state": "new", "intervals": INTERVALS}
