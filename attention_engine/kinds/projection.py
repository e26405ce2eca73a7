"""What x @ W takes for random W, drawn by its law or head by head, before it is done. Has no values."""

from dataclasses import dataclass

from attention_engine.kinds.work import FLOAT32

FLOAT64 = 8
SUMMED_AT_ONCE = 2**20
NUMBERS_AT_ONCE = 2**16
"""How gaussian.py goes through features and draws normal numbers; its own constants, equal by test."""
ROOTS = 4
"""(N, N) tensors of float64 that a root takes: the covariance, its factor, and their copies."""
DRAWN = 100
"""FLOPs that a processor does in the time in which it draws one normal number, at the least."""


@dataclass(frozen=True)
class Projection:
    """(rows, width) -> (rows, heads * d_head): `heads` matrices where they are pinned."""

    rows: int
    width: int
    heads: int
    d_head: int
    pinned: bool
    piece: int = 0
    """Rows of a pinned matrix that are held at once, a head's share of W_O; 0: all of them."""

    @property
    def made(self) -> int:
        """Numbers that come out."""
        return self.rows * self.heads * self.d_head

    @property
    def rank(self) -> int:
        """Normal numbers drawn for each column: a law needs no more than there are rows."""
        return self.width if self.pinned else min(self.rows, self.width)

    @property
    def flops(self) -> int:
        """2 per multiply-add, and the time of the normal numbers; a law's root is a product of the rows and
        Cholesky's N^3/3."""
        product = 2 * self.rank * self.made + DRAWN * self.rank * self.heads * self.d_head
        if self.pinned or self.rows >= self.width:
            return product
        return product + 2 * self.rows**2 * self.width + self.rows**3 // 3

    @property
    def passing_bytes(self) -> int:
        """Bytes held beside x and what comes out, at most, while it is made."""
        if self.pinned:
            return FLOAT32 * ((self.piece or self.width) + self.rows) * self.d_head
        drawn = max(NUMBERS_AT_ONCE, self.rank)
        if self.rows >= self.width:
            return FLOAT32 * (self.rows * self.width + drawn)
        return max(self._root_bytes, FLOAT32 * (self.rows**2 + drawn))

    @property
    def _root_bytes(self) -> int:
        features = min(self.width, max(1, SUMMED_AT_ONCE // self.rows))
        return FLOAT64 * (self.rows * features + ROOTS * self.rows**2)
