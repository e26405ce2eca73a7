"""Writing cards by form: what an author types becomes a new version. Knows no learner and no page."""
