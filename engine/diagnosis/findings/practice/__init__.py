"""Errors of what surrounds a model: data that is split and collected, groups and schedules of optimizers, values that are kept."""
