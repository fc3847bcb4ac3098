"""Builds the HTTP application from the use cases: routes, middleware and the OpenAPI document."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from app.access.control import AccessControl
from app.access.sql import AccessStore
from app.services import Services
from app.telemetry.metrics import Meter
from app.web import bodies
from app.web.access import describe_security, scopes_of_routes
from app.web.hot_lane import HotLane
from app.web.middleware import BodyLimitMiddleware, RequestIdMiddleware
from app.web.problems import add_problem_handlers
from app.web.routes import access, documents, forecast, health, impressions, metrics, results, sessions

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

DESCRIPTION = (
    "Finds the best pair of items to show to a mixed population, and proves it. "
    "Create a session with your items; show what next-pair hands out and report each outcome with its ticket; "
    "best-pair returns the current answer and what is proven about it."
)


class Api(FastAPI):
    """The application; its OpenAPI document also describes the request bodies, which `bodies` reads."""

    hot_lane: ASGIApp | None = None

    @property
    def entry(self) -> ASGIApp:
        """The ASGI application for a server: the hot lane, if there is one, without a detour through this object."""
        return self.hot_lane or self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request: with the hot lane, if there is one, which passes other requests on to the routes."""
        await (self.hot_lane or super().__call__)(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """Returns the OpenAPI document, built once."""
        if not self.openapi_schema:
            document = super().openapi()
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            schemas.update(bodies.request_schemas())
            # The framework defines every enum that a field has, also those whose values are listed in place.
            text = json.dumps(document)
            for name in [name for name in schemas if f'"#/components/schemas/{name}"' not in text]:
                del schemas[name]
            describe_security(document, scopes_of_routes(self))
        return self.openapi_schema or {}


def build_api(
    services: Services,
    *,
    version: str,
    body_limit_bytes: int,
    hot_lane: bool = True,
    lifespan: Lifespan | None = None,
    access_control: AccessControl | None = None,
    access_store: AccessStore | None = None,
    meter: Meter | None = None,
) -> Api:
    """Returns the application that serves these use cases to the callers that `access_control` admits; None: to all."""
    meter = meter or Meter()
    api = Api(
        title="bestpair",
        description=DESCRIPTION,
        version=version,
        lifespan=lifespan,
        docs_url=None,  # the pages of the framework load scripts from another host
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
        redirect_slashes=False,  # a redirect would hide a wrong path and drop bodies
    )
    api.state.services = services
    api.state.access_control = access_control = access_control or AccessControl(None)
    api.state.access_store = access_store
    api.state.meter = meter
    for module in (sessions, impressions, results, forecast, access, health, metrics, documents):
        api.include_router(module.router)
    scopes_of_routes(api)  # raises if a route declares no scope
    add_problem_handlers(api)
    api.add_middleware(BodyLimitMiddleware, limit_bytes=body_limit_bytes)
    api.add_middleware(RequestIdMiddleware, meter=meter)  # added last, so it is the outermost
    if hot_lane:
        api.hot_lane = HotLane(
            super(Api, api).__call__,
            services,
            body_limit_bytes=body_limit_bytes,
            access_control=access_control,
            meter=meter,
        )
    return api
