"""The parts of silent_mistake: both runs, what the mistake means, and words."""
