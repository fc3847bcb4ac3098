"""Check a certificate against an exported log, without the server that wrote them."""
