"""Mutation tests of the verifier: small changes of its code, each of which some test must notice."""
