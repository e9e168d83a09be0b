"""The planar examples of chapter 3."""
