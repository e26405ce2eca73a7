"""What is studied and how an answer is graded. Knows no learner."""
