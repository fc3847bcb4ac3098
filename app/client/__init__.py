"""The small client that ad servers use, sync and async, with retries that cannot count anything twice.

Each operation is one `Call` (what to send, how to read the answer, whether sending it again is harmless), made in
`calls`. `retries` decides when to send it again, without any input or output; the clients only send and sleep.
"""

from app.client.calls import ProblemError
from app.client.clients import AsyncClient, Client
from app.client.retries import Retries, ServiceUnreachable

__all__ = ["AsyncClient", "Client", "ProblemError", "Retries", "ServiceUnreachable"]
