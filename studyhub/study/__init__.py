"""Learners, attempts, the ledger of reviews, and what follows from it."""
