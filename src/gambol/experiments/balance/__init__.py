"""Standing: pushes, pulses, heights, limbs that grow."""
