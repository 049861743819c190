"""Runs the soak: clients, reloads, killed backends, hand-overs; then judges. Started by bench/soak/run."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import os
import signal
import ssl
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from harness import http
from harness.gateway import Gateway, Sandbox, release_binary
from harness.processes import Child, Failure, Workspace, accepts, find_program, free_port, wait_until

import clients
from wire import Wire

BUNDLE = "com.example.soak"
APP = 77

# What a process opens when it is first needed and keeps: readers of the store, connections of its own.
_LAZY = 8


class Soak:
    def __init__(self, workspace: Workspace, options: argparse.Namespace) -> None:
        self.workspace = workspace
        self.options = options
        self.book = clients.Book()
        self.tenants = workspace.folder / "tenants"
        self.tenants.mkdir()
        self.ports = [free_port(), free_port()]
        self.backends = [self.start_backend(port) for port in self.ports]
        self.write_tenant(0)
        binary = options.binary or release_binary()
        self.sandbox = Sandbox.start(workspace, binary)
        self.certificate = make_certificate(workspace.folder)
        self.gateway = Gateway.start(
            workspace, binary, tenants=self.tenants, issuer=self.sandbox.issuer,
            certificate=self.certificate, more="handover: var/handover.sock\n", drain="{ delay: 1s, timeout: 20s }")
        self.binary = binary
        self.children = [self.gateway.child]
        self.descriptors_at_start = descriptors(self.gateway.child.pid)
        self.memory: list[tuple[float, int]] = []
        self.handed_over = 0

    def start_backend(self, port: int) -> Child:
        child = self.workspace.start(f"backend-{port}", [sys.executable, Path(__file__).with_name("backend.py"), str(port)])
        wait_until(child, lambda: accepts(port))
        return child

    def write_tenant(self, version: int) -> None:
        servers = ", ".join(f"http://127.0.0.1:{port}" for port in self.ports)
        text = (
            f"appId: {APP}\nname: Soak {version}\ndomains: [{clients.HOST}]\nproviders: [apple-native]\n"
            f"ios: {{ bundleIds: [{BUNDLE}] }}\n"
            f"backends:\n  main: {{ servers: [{servers}], retries: 1 }}\n"
            f"routes:\n  - {{ path: /, backend: main }}\n  - {{ path: /v{version % 7}/, backend: main }}\n")
        new = self.tenants / ".new"
        new.write_text(text)
        new.rename(self.tenants / "soak.yaml")

    def sign_in(self) -> clients.Setting:
        users: dict[str, str] = {}
        for credentials in self.sandbox.mint_many(BUNDLE, 20):
            answer = self.gateway.sign_in(credentials, APP)
            if answer.status != 200:
                raise Failure(f"sign-in answers {answer.status}: {answer.body!r}")
            users[answer.json()["token"]] = answer.json()["user"]["id"]
        wires = [Wire(self.gateway.port)]
        if self.gateway.tls_port:
            wires.append(Wire(self.gateway.tls_port, ssl.create_default_context(cafile=str(self.certificate[0])), clients.HOST))
        return clients.Setting(wires, list(users), users, self.book)

    async def run(self) -> None:
        setting = self.sign_in()
        load = [
            asyncio.create_task(clients.run(setting, act))
            for act, count in clients.KINDS.items() for _ in range(count)]
        others = [
            asyncio.create_task(task) for task in (self.reload(), self.kill(), self.hand_over(), self.watch())]
        end = time.monotonic() + self.options.seconds
        while time.monotonic() < end:
            await asyncio.sleep(0.2)
            for task in [*load, *others]:
                if task.done():
                    task.result()
        for task in others:
            task.cancel()
        self.book.is_over = True
        await asyncio.wait_for(asyncio.gather(*load), 30)

    async def reload(self) -> None:
        """A changed tenant file each second, half of the time with a signal at once."""
        version = 0
        while True:
            await asyncio.sleep(1)
            version += 1
            self.write_tenant(version)
            if version % 2:
                self.gateway.child.process.send_signal(signal.SIGHUP)

    async def kill(self) -> None:
        """One backend after another is killed and revived; never both, so that each request can be served."""
        index = 0
        while True:
            await asyncio.sleep(5)
            self.book.kills.append(time.monotonic())
            self.backends[index].process.kill()
            self.backends[index].process.wait()
            await asyncio.sleep(2)
            self.book.kills.append(time.monotonic())
            self.backends[index] = await asyncio.to_thread(self.start_backend, self.ports[index])
            index = 1 - index

    async def hand_over(self) -> None:
        while True:
            await asyncio.sleep(self.options.handover)
            old = self.gateway.child
            self.book.ends.append(time.monotonic())
            new = self.workspace.start(
                f"gateway-{len(self.children)}", [self.binary, "serve", "--config", self.gateway.config])
            self.children.append(new)
            await asyncio.to_thread(
                wait_until, new, lambda: "took over from the running gateway" in new.log.read_text())
            self.gateway = dataclasses.replace(self.gateway, child=new)
            try:
                code = await asyncio.to_thread(old.process.wait, 30)
            except subprocess.TimeoutExpired:
                code = -1
            self.book.ends.append(time.monotonic())
            if code != 0:
                self.book.fault(f"the old process ended with {code}")
            self.handed_over += 1

    async def watch(self) -> None:
        while True:
            await asyncio.sleep(0.5)
            self.memory.append((time.monotonic(), resident(self.gateway.child.pid)))
            if not await asyncio.to_thread(http.answers_ok, self.gateway.admin_port, "/readyz"):
                self.book.fault("/readyz does not say ready")

    def judge(self) -> None:
        seconds = self.options.seconds
        if seconds >= self.options.handover + 10 and self.handed_over == 0:
            self.book.fault("nothing was handed over")
        if not self.book.counts["ok steady"]:
            self.book.fault("nothing was answered")
        self.judge_memory()
        deadline = time.monotonic() + 20
        pid = self.gateway.child.pid
        while descriptors(pid) > self.descriptors_at_start + _LAZY and time.monotonic() < deadline:
            time.sleep(0.2)
        left = descriptors(pid)
        print(f"descriptors  {self.descriptors_at_start} at the start, {left} at the end")
        if left > self.descriptors_at_start + _LAZY:
            kinds = sorted(os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir())
            self.book.fault(f"{left} descriptors are left of {self.descriptors_at_start}: {' '.join(kinds)}")
        if self.gateway.child.stop(30) != 0:
            self.book.fault("the last process did not end with 0")

    def judge_memory(self) -> None:
        """The last part of the time against an earlier one of the same length, both beyond the warming up."""
        if not self.memory:
            return
        begin = self.memory[0][0]
        part = 60 if self.options.seconds >= 240 else self.options.seconds / 3
        first = part * 2 if self.options.seconds >= 240 else part
        early = [size for at, size in self.memory if first <= at - begin < first + part]
        late = [size for at, size in self.memory if at >= self.memory[-1][0] - part]
        if not early or not late:
            return
        # A minute holds many samples of two processes; a short run has few, and part of each is a process's beginning.
        allowed = 1.05 if self.options.seconds >= 240 else 1.25
        early_mean, late_mean = sum(early) / len(early), sum(late) / len(late)
        print(f"memory       {early_mean / 2**20:.1f} MiB early, {late_mean / 2**20:.1f} MiB late")
        if late_mean > early_mean * allowed:
            self.book.fault("memory grows")


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for the app's domain that is its own authority, and its key."""
    chain, key = folder / "soak.pem", folder / "soak.key"
    subprocess.run(
        [find_program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "2", "-subj", f"/CN={clients.HOST}", "-addext", f"subjectAltName=DNS:{clients.HOST}",
         "-keyout", key, "-out", chain],
        check=True, capture_output=True)
    return chain, key


def resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


def descriptors(pid: int) -> int:
    """Descriptors of a process but for pipes: those of long bodies are kept for the next ones, up to a limit."""
    folder, count = Path(f"/proc/{pid}/fd"), 0
    for entry in os.listdir(folder):
        try:
            count += not os.readlink(folder / entry).startswith("pipe:")
        except OSError:
            continue  # It was closed while we looked.
    return count


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/soak/run", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="how long (600)")
    parser.add_argument("--handover", type=float, default=60, help="seconds between hand-overs (60)")
    parser.add_argument("--binary", type=lambda text: Path(text).resolve(), help="the gateway, if not the release build")
    options = parser.parse_args()
    try:
        with Workspace("speed-soak-") as workspace:
            soak = Soak(workspace, options)
            asyncio.run(soak.run())
            soak.judge()
            for name, count in sorted(soak.book.counts.items()):
                print(f"{name:<20} {count}")
            print(f"hand-overs           {soak.handed_over}")
            for line in soak.book.wrong:
                print(f"WRONG {line}")
            if soak.book.wrong:
                for child in soak.children:
                    print(f"--- {child.name}\n{child.log_tail(10)}")
    except Failure as failure:
        sys.exit(f"error: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(1 if soak.book.wrong else 0)


if __name__ == "__main__":
    main()
