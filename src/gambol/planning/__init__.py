"""Planning: where the next steps go."""
