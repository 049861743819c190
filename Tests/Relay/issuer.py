"""An OpenID provider on loopback, made with Authlib: the third party whose tokens the plugin `relay` takes.

    python3 Tests/Relay/issuer.py ES256|RS256

It prints its own URL, then serves discovery, its key set and the authorization code flow with PKCE for one client. Whoever
asks signs in as the user of `login_hint`. `POST /rotate` makes a new key, and drops the old one.
"""

from __future__ import annotations

import logging
import os
import secrets
import sys
import time
from dataclasses import dataclass

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import AuthorizationCodeMixin, UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, request
from joserfc.jwk import ECKey, KeySet, RSAKey
from werkzeug.serving import make_server

# Authlib asks for https, which loopback does without.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


class Keys:
    """The one key that signs."""

    def __init__(self, algorithm: str) -> None:
        self.algorithm = algorithm
        self.rotate()

    def rotate(self) -> None:
        parameters = {"kid": secrets.token_hex(8), "use": "sig", "alg": self.algorithm}
        if self.algorithm == "ES256":
            self.current = ECKey.generate_key("P-256", parameters, private=True)
        else:
            self.current = RSAKey.generate_key(2048, parameters, private=True)

    @property
    def public(self) -> dict[str, object]:
        return KeySet([self.current]).as_dict(private=False)


@dataclass(frozen=True)
class User:
    id: str

    def get_user_id(self) -> str:
        return self.id


class Client(ClientMixin):
    """The app, as it is registered: a public client, known by its id and its redirect alone."""

    id = "notes"
    redirect = "http://127.0.0.1:9/signed-in"

    def get_client_id(self) -> str:
        return self.id

    def get_default_redirect_uri(self) -> str:
        return self.redirect

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri == self.redirect

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass
class Code(AuthorizationCodeMixin):
    code: str
    user: User
    nonce: str | None
    scope: str
    redirect_uri: str
    code_challenge: str | None
    code_challenge_method: str | None
    at: int

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str | None:
        return self.nonce

    def get_auth_time(self) -> int:
        return self.at

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    codes: dict[str, Code] = {}

    def save_authorization_code(self, code: str, request) -> Code:
        data = request.payload.data
        kept = Code(
            code, request.user, data.get("nonce"), request.payload.scope, request.payload.redirect_uri,
            data.get("code_challenge"), data.get("code_challenge_method"), int(time.time()))
        self.codes[code] = kept
        return kept

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        return self.codes.get(code)

    def delete_authorization_code(self, authorization_code: Code) -> None:
        del self.codes[authorization_code.code]

    def authenticate_user(self, authorization_code: Code) -> User:
        return authorization_code.user


class IdentityToken(OpenIDCode):
    def __init__(self, issuer: str, keys: Keys) -> None:
        super().__init__(require_nonce=True)
        self.issuer, self.keys = issuer, keys

    def exists_nonce(self, nonce: str, request) -> bool:
        return any(code.nonce == nonce for code in CodeGrant.codes.values())

    def resolve_client_private_key(self, client: Client):
        return self.keys.current

    def get_client_algorithm(self, client: Client) -> str:
        return self.keys.algorithm

    def get_client_claims(self, client: Client) -> dict[str, object]:
        return {"iss": self.issuer, "aud": [client.get_client_id()]}

    def get_encode_header(self, client: Client) -> dict[str, str]:
        return {"alg": self.keys.algorithm, "kid": self.keys.current.kid}

    def generate_user_info(self, user: User, scope: str) -> UserInfo:
        return UserInfo(sub=user.id, name=f"Name of {user.id}", email=f"{user.id}@example.org", email_verified=True)


def application(issuer: str, keys: Keys) -> Flask:
    app = Flask("issuer")
    client = Client()
    server = AuthorizationServer(
        app, query_client=lambda id: client if id == client.id else None, save_token=lambda token, request: None)
    server.register_grant(CodeGrant, [IdentityToken(issuer, keys), CodeChallenge(required=True)])

    @app.get("/.well-known/openid-configuration")
    def metadata():
        return jsonify(
            issuer=issuer, authorization_endpoint=f"{issuer}/authorize", token_endpoint=f"{issuer}/token",
            jwks_uri=f"{issuer}/keys", response_types_supported=["code"], subject_types_supported=["public"],
            id_token_signing_alg_values_supported=[keys.algorithm])

    @app.get("/keys")
    def key_set():
        return jsonify(keys.public)

    @app.get("/authorize")
    def authorize():
        user = User(request.args["login_hint"])
        return server.create_authorization_response(
            grant=server.get_consent_grant(end_user=user), grant_user=user)

    @app.post("/token")
    def token():
        return server.create_token_response()

    @app.post("/rotate")
    def rotate():
        keys.rotate()
        return "", 204

    return app


def main() -> None:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    # The issuer's name has the port, which the kernel picks first.
    server = make_server("127.0.0.1", 0, lambda environ, start: app(environ, start), threaded=True)
    issuer = f"http://127.0.0.1:{server.server_port}"
    app = application(issuer, Keys(sys.argv[1]))
    print(issuer, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
