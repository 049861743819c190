"""Issuers whose tokens have the shape of well-known ones, below paths of one server on loopback."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

_DISCOVERY = "/.well-known/openid-configuration"


class ShapedIssuer:
    """Any path is an issuer; all have the same two keys."""

    def __init__(self) -> None:
        self._keys = {
            "RS256": rsa.generate_private_key(65537, 2048), "ES256": ec.generate_private_key(ec.SECP256R1())}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps(outer._document(self.path)).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def _document(self, path: str) -> object:
        if path == "/keys":
            return {"keys": [
                json.loads(jwt.get_algorithm_by_name(name).to_jwk(key.public_key()))
                | {"kid": name, "alg": name, "use": "sig"} for name, key in self._keys.items()]}
        issuer = self.url + path.removesuffix(_DISCOVERY)
        # As Auth0's, whose name ends in a slash.
        return {"issuer": issuer + "/" if issuer.endswith("/auth0") else issuer, "jwks_uri": f"{self.url}/keys"}

    def token(self, algorithm: str, claims: dict, *, typ: str | None = None, kid: str | None = None) -> str:
        claims = {name: claim for name, claim in claims.items() if claim is not None}
        # PyJWT judges some claims itself, which is not its job here.
        header = {"alg": algorithm, "kid": kid or algorithm} | ({"typ": typ} if typ else {})
        signed = f"{_encoded(header)}.{_encoded(claims)}"
        signer = jwt.get_algorithm_by_name(algorithm)
        return f"{signed}.{_text(signer.sign(signed.encode(), self._keys[algorithm]))}"

    @staticmethod
    def unsigned(claims: dict) -> str:
        return f"{_encoded({'alg': 'none', 'kid': 'ES256'})}.{_encoded(claims)}."

    def symmetric(self, claims: dict) -> str:
        """HS256 with the text of the public key set as the secret."""
        signed = f"{_encoded({'alg': 'HS256', 'kid': 'ES256'})}.{_encoded(claims)}"
        secret = json.dumps(self._document("/keys")).encode()
        return f"{signed}.{_text(hmac.new(secret, signed.encode(), hashlib.sha256).digest())}"


def _encoded(value: object) -> str:
    return _text(json.dumps(value).encode())


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
