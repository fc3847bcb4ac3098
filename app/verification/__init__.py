"""Check a certificate against an exported log, without trusting the server that wrote them."""
