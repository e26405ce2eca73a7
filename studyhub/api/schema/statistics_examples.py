"""An example of the statistics for the schema; a test holds it to its shape."""

from typing import Any

from studyhub.study.statistics.shares import Share


def _share(passed: int, number: int) -> dict[str, Any]:
    share = Share(passed, number)
    ends = {"low": round(share.low, 4), "high": round(share.high, 4)}
    return {"passed": passed, "number": number, "value": round(share.value or 0, 4), **ends}


STATISTICS: dict[str, Any] = {
    "study_day": "2026-11-30",
    "totals": {"answers": 1262, "seconds": 26502, "since": "2026-06-01"},
    "days_in_a_row": 14,
    "true_retention": [
        {"period": "month", "young": _share(71, 84), "mature": _share(19, 21), "all": _share(90, 105)}
    ],
    "forecast": {"overdue": 0, "days": [{"day": "2026-11-30", "due": 5}, {"day": "2026-12-01", "due": 2}]},
    "heat_map": [{"day": "2026-11-30", "answers": 18, "seconds": 378}],
    "topics": [
        {
            "topic": "d-head",
            "title": "d_head and the split",
            "cards": 24,
            "seen": 24,
            "expected": 23.1,
            "mean_recall": 0.9625,
            "observed": _share(48, 50),
        }
    ],
    "calibration": {
        "number": 383,
        "promised": 0.904,
        "recalled": _share(330, 383),
        "since": "2026-06-02",
        "bins": [{"promised": 0.912, "share": _share(147, 174)}],
        "scores": [
            {"name": "schedule", "number": 383, "log_loss": 0.3891, "rmse": 0.0612, "auc": 0.6411},
            {"name": "average", "number": 383, "log_loss": 0.4024, "rmse": 0.0733, "auc": 0.4902},
            {"name": "moving_average", "number": 383, "log_loss": 0.4101, "rmse": 0.0701, "auc": 0.5012},
        ],
    },
    "confidence": {"number": 88, "brier": 0.1671, "rows": [{"said": 70, "share": _share(31, 40)}]},
    "leeches": [
        {
            "card": "3f6c5f0a-6d0e-5a56-9a4b-0f5a3f6c2d11",
            "slug": "view-after-transpose",
            "topic": "reshape-and-strides",
            "title": "Reshape and strides",
            "lapses": 8,
            "tested": 21,
            "recalled": 12,
            "suspended": False,
        }
    ],
}
