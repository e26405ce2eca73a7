"""What a learner is asked next, what its buttons offer, and how much there is. Reads only; writes no line."""
