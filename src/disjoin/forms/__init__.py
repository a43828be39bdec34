"""Forms of published data: a folder each with tables, facts, texts and drawings."""
