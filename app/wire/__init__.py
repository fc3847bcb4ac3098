"""The JSON shapes that the web layer and the client share. They know nothing of sessions, storage or HTTP."""
