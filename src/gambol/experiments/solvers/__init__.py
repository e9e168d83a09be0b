"""The prioritized solvers on random problems, and other solvers for the same objectives."""
