"""What those who run the service get to see."""

from typing import Literal

from app.wire.shapes import ResponseShape


class Status(ResponseShape):
    """The process answers, or requests can be served."""

    status: Literal["alive", "ready"]


class Version(ResponseShape):
    """Which build this is."""

    name: str
    version: str
