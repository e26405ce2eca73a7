"""When a card comes back: pure functions. No ORM, no clock, no network."""
