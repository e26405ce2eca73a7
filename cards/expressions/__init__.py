"""Safe reading of what a learner types: numbers and shapes. No eval."""
