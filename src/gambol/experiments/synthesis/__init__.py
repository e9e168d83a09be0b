"""Contact-invariant optimisation [mordatch2015, chapter 3]."""
