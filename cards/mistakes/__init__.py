"""What people mix up, as transforms of a key. Knows no card file and no learner."""
