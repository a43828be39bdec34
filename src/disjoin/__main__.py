"""`python -m disjoin` is `disjoin`."""

from disjoin.cli import main

main()
