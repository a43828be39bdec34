"""`python -m disjoin.cli` is `disjoin`."""

from disjoin.cli import main

main()
