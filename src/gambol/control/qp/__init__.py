"""Quadratic programs: strict priorities, active sets, and the small factorisations that they stand on."""
