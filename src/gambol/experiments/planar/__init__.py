"""The planar examples of [delasa2011, chapter 3]."""
