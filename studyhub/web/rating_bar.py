"""The rating bar and what is said of a rating: buttons with intervals, when a card comes back, Undo."""

import uuid
from datetime import datetime
from typing import Any

from studyhub.study.asking.offering import offer_of
from studyhub.study.models import Attempt, Learner, Review
from studyhub.study.rating import NAMES
from studyhub.study.reviews import suggestion_of
from studyhub.web import words
from studyhub.web.session import Returned, Sitting


def live_review(attempt: Attempt) -> Review | None:
    """The review that rates this attempt and was not taken back."""
    return attempt.reviews.filter(kind=Review.Kind.REVIEW, voided_by=None).first()


def rating_form(learner: Learner, attempt: Attempt, *, now: datetime) -> dict[str, Any]:
    """The four buttons with their intervals and the draw that gives them, the suggested one marked."""
    offered = offer_of(learner, attempt.card_version.card, now)
    suggestion = suggestion_of(attempt)
    return {
        "client_id": uuid.uuid4(),
        "attempt": attempt.client_id,
        "draw": repr(offered.draw),
        "reason": suggestion.reason,
        "buttons": [
            {
                "value": value,
                "title": name.capitalize(),
                "seconds": offered.intervals[name],
                "suggested": value == suggestion.rating,
            }
            for value, name in NAMES.items()
        ],
    }


def rated_words(learner: Learner, review: Review, *, now: datetime) -> dict[str, str]:
    """Its title and when the card returns: "Rated Good", "Back in 49 days, on 18 January"."""
    outcome, title = review.outcome, NAMES.get(review.rating, "rated").capitalize()
    if not outcome.get("due"):
        return {"title": f"Rated {title}", "words": "Kept"}
    sentence = words.comes_back(
        datetime.fromisoformat(outcome["due"]),
        seconds=outcome["interval_seconds"],
        time_zone=learner.time_zone,
        now=now,
    )
    return {"title": f"Rated {title}", "words": sentence}


def returned(learner: Learner, review: Review, now: datetime) -> Returned:
    """What the toast says of a rating."""
    title, sentence = rated_words(learner, review, now=now).values()
    attempt = str(review.attempt.client_id) if review.attempt else ""
    return Returned(review=str(review.client_id), attempt=attempt, rating=title, words=sentence)


def undo_of(review: Review) -> dict[str, Any]:
    """Undo of this review, whichever was the last."""
    rating = f"Rated {NAMES.get(review.rating, 'rated').capitalize()}"
    return {"review": str(review.client_id), "client_id": uuid.uuid4(), "rating": rating}


def undo_form(sitting: Sitting) -> dict[str, Any] | None:
    """Undo for as long as the session lasts."""
    return {**vars(sitting.last), "client_id": uuid.uuid4()} if sitting.last else None
