"""Records for other people: to download, and as tables."""
