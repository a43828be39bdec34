"""Entry point for `python -m disjoin`."""

from disjoin.cli import main

main()
