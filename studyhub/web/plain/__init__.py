"""What a picture says on a page without a script or a worker: one file a kind, named like it."""
