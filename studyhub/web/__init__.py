"""The pages a learner and an author see."""
