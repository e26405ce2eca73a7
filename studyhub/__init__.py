"""The service: learners, reviews, scheduling, API, pages and the delivery of pictures."""
