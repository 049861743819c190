"""The certificate that all peers with TLS show: P-256, signed by its own key, made for the run."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificate:
    certificate: Path
    key: Path
    both: Path
    """Certificate and key in one file, as HAProxy wants it."""

    @staticmethod
    def make(folder: Path, host: str) -> Certificate:
        made = Certificate(folder / "tls.pem", folder / "tls.key", folder / "tls-both.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "7",
             "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}",
             "-keyout", str(made.key), "-out", str(made.certificate)], check=True, capture_output=True)
        made.both.write_text(made.certificate.read_text() + made.key.read_text())
        return made
