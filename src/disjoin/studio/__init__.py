"""The studio: a local web app for publishing without the command line. Only this package imports starlette.

A page shows what a command prints, and a job does what a command does, in a process of its own. What is computed from
an original lives below `/api/data`; what a release alone tells lives below `/api/releases`, and nothing there opens an
original.
"""

from disjoin.methods.settings import LazyEntry

STUDIO = LazyEntry(
    "studio", "Open the whole path in your browser, on this computer only.", "disjoin.studio.command:studio_command"
)
