"""The studio: a local web app for publishing without the command line. Only this package imports starlette.

A job does what a command does, in a process of its own. Only what is below `/api/data` can open an original.
"""

from disjoin.methods.settings import LazyEntry

STUDIO = LazyEntry(
    "studio",
    "Open the studio, a local web app for publishing, in your browser.",
    "disjoin.studio.command:studio_command",
)
