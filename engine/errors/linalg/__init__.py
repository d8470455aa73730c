"""Errors of linear algebra."""
