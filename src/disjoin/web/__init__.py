"""The studio: the whole path in a browser, on one's own machine; the only room that knows starlette.

A page shows what a command prints, and a job does what a command does, in a process of its own. What is computed from
an original lives below `/api/data`; what a release alone tells lives below `/api/releases`, and nothing there opens an
original.
"""
