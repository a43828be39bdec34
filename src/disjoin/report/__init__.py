"""Reports about data and releases: texts, pages, drawings."""
