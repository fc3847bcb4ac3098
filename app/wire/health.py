"""Responses for operators: whether the service is alive and ready, and its version."""

from typing import Literal

from app.wire.shapes import ResponseShape


class Status(ResponseShape):
    """The process runs (alive), or it can serve requests (ready)."""

    status: Literal["alive", "ready"]


class Version(ResponseShape):
    """Name and version of the program."""

    name: str
    version: str
