"""The forms of published data, a folder each: tables, facts, prose and pictures, and the record that says so."""
