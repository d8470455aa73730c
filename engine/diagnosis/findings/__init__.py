"""Findings: what looks for the cause of an error, says it, and offers the fixes that follow."""
