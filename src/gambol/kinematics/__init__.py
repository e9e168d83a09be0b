"""Kinematics: what a pose and its rates say of a body."""
