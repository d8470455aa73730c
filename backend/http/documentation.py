"""The OpenAPI document, and the page at /docs that shows it.

The page is Swagger UI from the package fastapi-offline, which carries the files that FastAPI's own page would fetch
from another server. Its start-up script is a file too, so that the page needs no inline script.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final, get_args

import fastapi_offline
import orjson
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles

from gradflow.backend.http import operation_page, problem_kinds
from gradflow.backend.http.descriptions import describe
from gradflow.backend.http.problems import NotFound
from gradflow.backend.http.schemas import ARRAY_SCHEMA, Problem
from gradflow.engine.errors import CATALOGUE
from gradflow.engine.trace import Event

_ASSETS: Final = Path(fastapi_offline.__file__).parent / "static"
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"
)
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gradflow API</title>
<link rel="icon" href="docs/assets/favicon.png">
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
_START: Final = """SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
});
"""
EXAMPLE_TRACE: Final = Path(__file__).parent / "example_trace.json"
"""What `schemas.EXAMPLE` is answered with, recorded when the document is generated: the service runs no program itself."""
_REQUESTS: Final = {"TraceRequest", "Leaf", "LinkRequest"}


def install(app: FastAPI) -> None:
    """Serve the page, and generate the document our way."""

    @app.get("/docs", include_in_schema=False)
    async def page() -> Response:
        return HTMLResponse(_PAGE, headers={"Content-Security-Policy": _POLICY})

    @app.get(problem_kinds.PAGE, include_in_schema=False)
    async def problems() -> Response:
        return HTMLResponse(problem_kinds.page(), headers={"Content-Security-Policy": _POLICY})

    @app.get("/docs/operations/{name}", include_in_schema=False)
    async def operation(name: str) -> Response:
        shown = await asyncio.to_thread(operation_page.page, name)
        if shown is None:
            raise NotFound("Programs can call nothing of this name.")
        return HTMLResponse(shown, headers={"Content-Security-Policy": _POLICY})

    @app.get("/docs/start.js", include_in_schema=False)
    async def start() -> Response:
        return Response(_START, media_type="text/javascript")

    app.mount("/docs/assets", StaticFiles(directory=_ASSETS), name="docs")
    app.openapi = lambda: document(app)  # type: ignore[method-assign]  # FastAPI's documented way


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            license_info={"name": "MIT"},
        )
        made["components"]["schemas"] |= _problem_schemas()
        made = _with_arrays_named(made)
        made["components"]["schemas"]["Array"] = {**ARRAY_SCHEMA, "anyOf": _items_named(ARRAY_SCHEMA["anyOf"])}
        _require_what_is_always_sent(made["components"]["schemas"])
        made["components"]["schemas"]["ErrorRecord"]["properties"]["code"]["enum"] = sorted(CATALOGUE)
        describe(made["components"]["schemas"])
        answer = made["paths"]["/api/v1/trace"]["post"]["responses"]["200"]["content"]["application/json"]
        answer["example"] = orjson.loads(EXAMPLE_TRACE.read_bytes())
        app.openapi_schema = made
    return app.openapi_schema


_ARRAY: Final = {"$ref": "#/components/schemas/Array"}


def _with_arrays_named(part: Any) -> Any:
    """An array has arrays as items: written by reference, which pydantic's schemas of one field cannot be."""
    if isinstance(part, list):
        return [_with_arrays_named(each) for each in part]
    if not isinstance(part, dict):
        return part
    if part.get("title") == "Array" and "anyOf" in part:
        return _ARRAY
    if {**part, "description": ""} == {**ARRAY_SCHEMA, "description": ""}:
        return _ARRAY
    if part.get("anyOf", [])[: len(ARRAY_SCHEMA["anyOf"])] == ARRAY_SCHEMA["anyOf"]:
        rest = part["anyOf"][len(ARRAY_SCHEMA["anyOf"]) :]
        return {**part, "anyOf": [_ARRAY, *rest]}
    return {name: _with_arrays_named(each) for name, each in part.items()}


def _items_named(kinds: Any) -> list[Any]:
    return [{**kind, "items": _ARRAY} if "items" in kind else kind for kind in kinds]


def _problem_schemas() -> dict[str, Any]:
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), "Problem": schema}


def _require_what_is_always_sent(schemas: dict[str, Any]) -> None:
    """A response has every field, also those with a default. A problem may leave ``errors`` out, an event ``during``."""
    own = {*_REQUESTS, "Problem", *(event.__name__ for event in get_args(Event))}
    for name, schema in schemas.items():
        if name not in own and "properties" in schema:
            schema["required"] = list(schema["properties"])
