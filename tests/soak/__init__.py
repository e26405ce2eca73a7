"""Long runs that look for what short tests cannot show."""
