"""docs/openapi.yaml, and which of the answers that it describes were seen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import requests
import schemathesis
import yaml

PAGE = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"

_METHODS = {"get", "post", "delete"}

_OUT_OF_REACH = {
    "overloaded": "needs a machine without room",
    "request_timeout": "takes half a minute; the end-to-end tests have it",
    "store_unavailable": "needs a store that has gone; the end-to-end tests have it",
    "unsupported_coding": "no client library sends it; the end-to-end tests have it",
}
"""Codes that no scene gets, and why."""


def closed(description: dict[str, Any]) -> dict[str, Any]:
    """The description with answers that may hold nothing else, so that a member that it lacks is found.

    The page itself leaves answers open, for clients that are to live with members to come.
    """
    for response in _responses(description):
        for content in response.get("content", {}).values():
            content["schema"] = {"allOf": [content["schema"]], "unevaluatedProperties": False}
    for name in ("User", "AdjustmentEntry"):
        description["components"]["schemas"][name]["unevaluatedProperties"] = False
    return description


def _responses(description: dict[str, Any]) -> list[dict[str, Any]]:
    shared = list(description["components"]["responses"].values())
    own = [
        response for methods in description["paths"].values() for method, operation in methods.items()
        if method in _METHODS for response in operation["responses"].values() if "$ref" not in response]
    return shared + own


class Page:
    """What is described, and what was seen of it."""

    def __init__(self) -> None:
        self._description = yaml.safe_load(PAGE.read_text())
        self.closed = closed(yaml.safe_load(PAGE.read_text()))
        self._schema = schemathesis.openapi.from_dict(self.closed)
        self._seen: set[tuple[str, str, str]] = set()
        self.count = 0

    @property
    def operations(self) -> list[tuple[str, str]]:
        """Method and path of each call."""
        return [
            (method.upper(), path) for path, methods in self._description["paths"].items()
            for method in methods if method in _METHODS]

    def check(self, method: str, path: str, response: requests.Response) -> None:
        """Fails where a call's answer is not one of those that its operation describes."""
        self._schema[path][method].validate_response(response)
        self._note(f"{method} {path}", str(response.status_code), response.headers.get("X-Speed-Error", ""))

    def read(self, seen: Path) -> set[str]:
        """Adds what `hooks` noted; returns the calls that came through."""
        passed: set[str] = set()
        for line in seen.read_text().splitlines() if seen.exists() else []:
            operation, status, code = line.split("\t")
            self._note(operation, status, code)
            if status[0] in "23":
                passed.add(operation)
        return passed

    def _note(self, operation: str, status: str, code: str) -> None:
        self.count += 1
        self._seen.add((operation, status, code))

    def unseen(self) -> list[str]:
        return sorted(
            " ".join(filter(None, answer)) for answer in self._described() - self._seen
            if answer[2] not in _OUT_OF_REACH)

    def unexpected(self) -> list[str]:
        """What came of a described call and is not described: of pages, whose codes are in no schema, here alone."""
        described = self._described()
        operations = {operation for operation, _, _ in described}
        return sorted(
            " ".join(filter(None, answer)) for answer in self._seen
            if answer[0] in operations and answer not in described)

    def _described(self) -> set[tuple[str, str, str]]:
        described = set()
        for path, methods in self._description["paths"].items():
            for method in _METHODS & methods.keys():
                for status, response in methods[method]["responses"].items():
                    described |= {
                        (f"{method.upper()} {path}", status, code) for code in self._codes(self._resolved(response))}
        return described

    def _resolved(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        reference = response.get("$ref")
        return self._description["components"]["responses"][reference.rsplit("/", 1)[1]] if reference else response

    @staticmethod
    def _codes(response: Mapping[str, Any]) -> list[str]:
        if "x-error-codes" in response:
            return list(response["x-error-codes"])
        schema = response.get("content", {}).get("application/json", {}).get("schema", {})
        return list(schema.get("properties", {}).get("error", {}).get("enum", [""]))
