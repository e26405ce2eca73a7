"""Running the service: commands and health."""
