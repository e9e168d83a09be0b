"""Preview: closed-form models of a body two steps ahead, and the plan that suits them best."""
