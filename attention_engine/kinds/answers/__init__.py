"""What an answer on a card asked for, and the program a learner wrote, before any tensor is made."""
