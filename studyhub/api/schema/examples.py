"""Examples shown in the schema: one learner, one card, one afternoon."""

from typing import Any

from studyhub.api.schema.session_examples import SETTINGS

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
        "draw": 0.4296875,
        "practice": False,
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
    "draw": 0.4375,
    "intervals": INTERVALS,
}
ATTEMPT_PENDING = ATTEMPT | {
    "grade": GRADE
    | {
        "outcome": "undecided",
        "score": 0.0,
        "title": "the program is being run",
        "feedback_html": "",
        "read_as": "Parses: 1 line",
        "read_as_mathml": "",
        "key_text": "q.view(B, T, H, D).transpose(1, 2)",
        "pending": "worker",
        "facts": {},
        "pictures": [],
    },
    "suggested_rating": "",
    "reason": "Rate it yourself, or wait for the worker's verdict",
}
TICKS_SENT = {"choices": ["kernels", "trade"]}
_POINTS = {"kernels": "Kernels are compiled for a few widths.", "trade": "Wider heads are fewer heads."}
ATTEMPT_TICKED = ATTEMPT | {
    "grade": GRADE
    | {
        "outcome": "correct",
        "score": 1.0,
        "title": "all 2 points",
        "feedback_html": "",
        "read_as": "31 words",
        "read_as_mathml": "",
        "key_text": "\n".join(_POINTS.values()),
        "parts": [
            {
                "id": name,
                "outcome": "hit",
                "score": 1.0,
                "title": text,
                "mistake": "",
                "feedback_html": "",
                "read_as": "",
                "key_text": "",
                "quote": "",
            }
            for name, text in _POINTS.items()
        ],
        "facts": {"pass": 0.8},
        "pictures": [],
    },
    "suggested_rating": "good",
    "reason": "Suggested: Good, right",
}
INLINE_SENT = {
    "answer_type": "numeric",
    "answer": {"key": {"compute": "d_head", "model": "bert-base"}, "unit": "dims"},
    "mistakes": [
        {
            "name": "heads_for_width",
            "key": {"compute": "num_heads", "model": "bert-base"},
            "says": "{answer} counts the heads.",
        }
    ],
    "response": {"text": "12"},
}
INLINE_GRADE = GRADE | {
    "mistake": "heads_for_width",
    "title": "heads for width",
    "feedback_html": "<p>12 counts the heads.</p>",
    "read_as": "12",
    "read_as_mathml": "<math><mn>12</mn></math>",
    "key_text": "64 dims",
    "facts": {},
    "pictures": [],
}
INLINE_PENDING = INLINE_GRADE | {
    "outcome": "undecided",
    "mistake": "",
    "title": "the program is being run",
    "feedback_html": "",
    "read_as": "Parses: 1 line",
    "read_as_mathml": "",
    "key_text": "q.view(2, 4, 12, 64).transpose(1, 2)",
    "pending": "worker",
}
READING_SENT = {"card": CARD, "card_version": 1, "text": "768/12"}
READING = {"read_as": "768 / 12 = 64", "read_as_mathml": "<math><mn>64</mn></math>"}
OVERRIDES = [
    {"answer_type": "numeric", "suggested": 42, "kept": 36, "raised": 2, "lowered": 4, "unsuggested": 0}
]
VECTORS: dict[str, Any] = {
    "answer_type": "choice",
    "vectors": [
        {
            "name": "softmax-axis/1",
            "answer": {
                "options": [
                    {"id": "keys", "text": "over the keys", "correct": True},
                    {"id": "queries", "text": "over the queries", "mistake": "softmax_over_queries"},
                ]
            },
            "mistakes": [{"name": "softmax_over_queries", "says": "Each row must sum to 1."}],
            "parameters": {},
            "seed": 0,
            "right": [{"choices": ["keys"]}],
            "response": {"choices": ["queries"]},
            "outcome": "incorrect",
            "score": 0.0,
            "mistake": "softmax_over_queries",
        }
    ],
}
REVIEW_SENT = {
    "id": REVIEW_ID,
    "attempt": ATTEMPT_ID,
    "rating": "again",
    "answered_at": "2026-11-30T09:15:00+01:00",
    "time_zone": "Europe/Berlin",
    "device": "phone",
    "device_sequence": 17,
    "draw": 0.4375,
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
EVENT_ID = "0192f0c2-2a10-7b5c-8d1e-4f6a7b8c9d0e"
EVENT_SENT = {"id": EVENT_ID, "kind": "set_due", "target_day": "2026-12-10", "time_zone": "Europe/Berlin"}
EVENT = {"review": EVENT_ID, "kind": "set_due", "due": "2026-12-10T03:00:00Z", "state": "review"}
SYNC_SENT = {
    "events": [
        {"type": "review", **REVIEW_OFFLINE},
        {"type": "void", **VOID_SENT, "review": "0192f0b0-0000-7000-8000-00000000000a"},
        {"type": "suspend", "id": EVENT_ID, "card": CARD, "answered_at": "2026-11-30T09:20:00+01:00"},
    ]
}
SYNC: dict[str, Any] = {
    "outcomes": [
        {"id": REVIEW_ID, "status": 201, "body": REVIEW},
        {
            "id": VOID_SENT["id"],
            "status": 404,
            "problem": {
                "type": "/problems/not-found",
                "title": "There is no such thing here",
                "status": 404,
                "detail": "no review 0192f0b0-0000-7000-8000-00000000000a yet; send that first",
                "errors": [
                    {"field": "review", "reason": "no review 0192f0b0-0000-7000-8000-00000000000a yet"}
                ],
            },
        },
        {"id": EVENT_ID, "status": 200, "body": EVENT | {"kind": "suspend"}},
    ]
}
CHANGES: dict[str, Any] = {
    "cursor": "184467",
    "more": False,
    "memories": [
        {
            "card": CARD,
            "state": "relearning",
            "due": "2026-11-30T08:25:00Z",
            "suspended": False,
            "buried_until": None,
            "lapses": 3,
            "leech": False,
        }
    ],
    "settings": SETTINGS,
}
RECENT: list[dict[str, Any]] = [
    {
        "review": REVIEW_ID,
        "kind": "review",
        "card": CARD,
        "rating": "again",
        "answered_at": "2026-11-30T08:15:00Z",
        "received_at": "2026-11-30T08:15:01Z",
        "clock_adjusted": False,
        "device": "phone",
        "undo_until": "2026-12-01T08:15:01Z",
    }
]
