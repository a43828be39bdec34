"""How it looks: facts about a release, and their drawings for terminal, page and file."""
