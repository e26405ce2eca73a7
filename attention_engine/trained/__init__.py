"""Trained models in plain torch; their weights come from installed packages or a local folder."""
