"""The points of the museum of configurations and their words. Knows no tensor."""
