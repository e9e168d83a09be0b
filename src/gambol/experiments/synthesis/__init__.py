"""Contact-invariant optimisation."""
