"""Shared code of the tests: releases, data, twins' adapters and processes."""
