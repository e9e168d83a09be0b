"""Bodies of other sizes: scaled as a whole or limb by limb, legs folded to match."""
