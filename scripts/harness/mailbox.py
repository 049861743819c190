"""A mail relay on loopback that keeps what it is given (RFC 5321, as much of it as a client needs)."""

from __future__ import annotations

import email
import email.policy
import re
import socketserver
import threading
import time
from collections.abc import Callable
from email.message import EmailMessage
from html import unescape

from .processes import Failure


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


class Mailbox:
    """Takes letters for everybody until it is closed."""

    def __init__(self, port: int = 0, on_letter: Callable[[EmailMessage], None] = lambda letter: None) -> None:
        self._on_letter = on_letter
        self._letters: list[tuple[str, EmailMessage]] = []
        self._arrival = threading.Condition()
        mailbox = self

        class Conversation(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                mailbox._converse(self)

        self._server = _Server(("127.0.0.1", port), Conversation)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def newest(self, recipient: str, *, after: int = 0, seconds: float = 10) -> EmailMessage:
        """The last letter to an address; waits until more than `after` have come."""
        deadline = time.monotonic() + seconds
        with self._arrival:
            while True:
                letters = self._to(recipient)
                if len(letters) > after:
                    return letters[-1]
                if not self._arrival.wait(deadline - time.monotonic()) and time.monotonic() >= deadline:
                    raise Failure(f"letter {after + 1} to a visitor did not come within {seconds:.0f} s")

    def count(self, recipient: str) -> int:
        with self._arrival:
            return len(self._to(recipient))

    def _to(self, recipient: str) -> list[EmailMessage]:
        return [letter for address, letter in self._letters if address.lower() == recipient.lower()]

    def _converse(self, wire: socketserver.StreamRequestHandler) -> None:
        def say(text: str) -> None:
            wire.wfile.write(text.encode() + b"\r\n")

        recipients: list[str] = []
        say("220 mailbox")
        while line := wire.rfile.readline().decode("utf-8", "replace").strip():
            verb = line.upper()
            if verb.startswith("EHLO"):
                say("250-mailbox\r\n250-8BITMIME\r\n250 SMTPUTF8")
            elif verb.startswith("RCPT TO:"):
                recipients.append(line[8:].split("<", 1)[1].split(">", 1)[0])
                say("250 OK")
            elif verb == "DATA":
                say("354 go on")
                self._keep(recipients, self._text(wire))
                recipients = []
                say("250 kept")
            elif verb == "QUIT":
                say("221 bye")
                return
            else:
                say("250 OK")

    @staticmethod
    def _text(wire: socketserver.StreamRequestHandler) -> bytes:
        lines = []
        while (line := wire.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b".") else line)
        return b"".join(lines)

    def _keep(self, recipients: list[str], text: bytes) -> None:
        letter = email.message_from_bytes(text, policy=email.policy.default)
        assert isinstance(letter, EmailMessage)
        with self._arrival:
            self._letters += [(recipient, letter) for recipient in recipients]
            self._arrival.notify_all()
        self._on_letter(letter)


def text_of(letter: EmailMessage) -> str:
    body = letter.get_body(("plain",))
    if body is None:
        raise Failure("a letter has no plain text")
    return str(body.get_content())


def code_of(letter: EmailMessage) -> str:
    """The code that a letter's plain text holds, on a line of its own."""
    found = re.search(r"^\s*(\d[\d ]{4,10}\d)\s*$", text_of(letter), re.MULTILINE)
    if found is None:
        raise Failure("a letter has no code")
    return found.group(1).replace(" ", "")


def link_of(letter: EmailMessage) -> str:
    found = re.search(r"https?://\S+", text_of(letter))
    if found is None:
        raise Failure("a letter has no link")
    return unescape(found.group(0))
