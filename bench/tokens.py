"""ES256 tokens for HAProxy, of the same shape and size as the gateway's own."""

from __future__ import annotations

import base64
import json
import secrets
import subprocess
import time
import uuid
from collections.abc import Mapping
from pathlib import Path

ISSUER = "http://localhost:8080"
AUDIENCE = "1"


class Signer:
    """A P-256 key made and used by the `openssl` command."""

    def __init__(self, folder: Path, name: str) -> None:
        self._private = folder / f"{name}.key"
        self.public = folder / f"{name}.pem"
        _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(self._private))
        _openssl("pkey", "-in", str(self._private), "-pubout", "-out", str(self.public))

    def token(self, *, lifetime: int = 7 * 86_400) -> str:
        """A token that ends `lifetime` seconds from now; negative for one that has ended."""
        now = int(time.time())
        header = {"alg": "ES256", "kid": "2026-12-01-0123456789", "typ": "at+jwt"}
        claims = {
            "iss": ISSUER, "sub": secrets.token_hex(16), "aud": AUDIENCE, "iat": now, "exp": now + lifetime,
            "jti": secrets.token_hex(16), "role": "app-user", "local": True, "uuid": str(uuid.uuid4())}
        signed = f"{_part(header)}.{_part(claims)}"
        der = _openssl("dgst", "-sha256", "-sign", str(self._private), given=signed.encode())
        return f"{signed}.{_encoded(_raw_signature(der))}"


def tampered(token: str) -> str:
    """The token with one character of its signature changed."""
    head, claims, signature = token.split(".")
    return f"{head}.{claims}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"


def unsigned(token: str) -> str:
    """The token's claims under `alg: none`, without a signature."""
    return f"{_part({'alg': 'none', 'typ': 'at+jwt'})}.{token.split('.')[1]}."


def _raw_signature(der: bytes) -> bytes:
    """r and s of 32 bytes each (RFC 7518 section 3.4) out of the ASN.1 sequence of two integers that OpenSSL writes."""
    raw, rest = b"", der[2:]
    for _ in range(2):
        size = rest[1]
        raw += int.from_bytes(rest[2:2 + size], "big").to_bytes(32, "big")
        rest = rest[2 + size:]
    return raw


def _part(value: Mapping[str, object]) -> str:
    return _encoded(json.dumps(value, separators=(",", ":")).encode())


def _encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _openssl(*arguments: str, given: bytes = b"") -> bytes:
    return subprocess.run(["openssl", *arguments], input=given, capture_output=True, check=True).stdout
