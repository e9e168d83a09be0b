"""Foreign models: reading MJCF, finding their anatomy, fitting them in, showing what was found."""
