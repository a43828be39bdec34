"""Charts: `svg` draws them for pages, `text_drawing` in characters for the terminal."""
