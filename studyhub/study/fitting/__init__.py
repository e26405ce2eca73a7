"""Fits the memory model to answers of many learners at once; the one room of studying that imports torch."""
