"""What a learner's reviews add up to: sums, shares with intervals, promises kept. Reads only."""

from studyhub.study.statistics.suggestions import Overrides, overrides

__all__ = ["Overrides", "overrides"]
