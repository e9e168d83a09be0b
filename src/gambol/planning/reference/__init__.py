"""References made ready to be followed: retargeting of recorded clips, contacts, projection through the dynamics."""
