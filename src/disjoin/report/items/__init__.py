"""Records of generalised terms in a report: what is counted in them, said about them and drawn of them."""
