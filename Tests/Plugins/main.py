"""Installs the gateway and walks through docs/PLUGINS.md with what is installed, beside a gateway that runs.

    python3 Tests/Plugins/main.py [--configuration debug|release]

Every block of the page is a file of that name; the scripts among them are run in the order of the page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_ROOT / "scripts"))

from harness import http  # noqa: E402
from harness.checks import expect  # noqa: E402
from harness.documents import file_blocks  # noqa: E402
from harness.processes import Child, Failure, Workspace, free_port, wait_until  # noqa: E402

_PAGE = _ROOT / "docs" / "PLUGINS.md"
_SCRIPTS = {"begin.sh", "serve.sh", "load.sh", "ada.sh", "change.sh", "grace.sh", "isolate.sh"}
_ROUTE = "/api/platform/auth/pear-club"


def main() -> int:
    parser = argparse.ArgumentParser(description="Walks through docs/PLUGINS.md with an installed gateway.")
    parser.add_argument("--configuration", choices=["debug", "release"], default="debug")
    wishes = parser.parse_args()
    with Workspace("speed-plugins-") as workspace:
        guide = Guide(workspace, wishes.configuration)
        steps = [guide.install, guide.begin, guide.load, guide.change, guide.keep_the_good_one, guide.isolate,
                 guide.end]
        for step in steps:
            begun = time.monotonic()
            try:
                step()
            except Exception as problem:
                print(f"error: {step.__name__}: {type(problem).__name__}: {problem}")
                if guide.gateway:
                    print(guide.gateway.log_tail(30))
                return 1
            print(f"passed: {step.__name__} ({time.monotonic() - begun:.0f} s)", flush=True)
    return 0


class Guide:
    """The page's folder, and the gateway beside it."""

    def __init__(self, workspace: Workspace, configuration: str) -> None:
        self._workspace = workspace
        self._configuration = configuration
        self._prefix = workspace.folder / "speed"
        self._place = workspace.folder / "guide"
        self._copies = workspace.folder / "copies"
        self._place.mkdir()
        self._copies.mkdir()
        self._blocks = file_blocks(_PAGE)
        scripts = {name for name in self._blocks if "/" not in name}
        expect(f"the page has its scripts, not {sorted(scripts)}", scripts == _SCRIPTS)
        self._port, self._admin = free_port(), free_port()
        self.gateway: Child | None = None

    def _run(self, script: str) -> str:
        """Runs a script of the page and returns what it writes."""
        text = self._blocks[script].replace("localhost:8080", f"localhost:{self._port}")
        environment = os.environ | {"PATH": f"{self._prefix}/bin:{os.environ['PATH']}"}
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text], cwd=self._place, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=300)
        if run.returncode != 0:
            raise Failure(f"{script} ended with {run.returncode}:\n{run.stdout[-3000:]}{run.stderr[-3000:]}")
        return run.stdout

    def _sign_in(self, code: str) -> http.Answer:
        return http.send(self._port, "POST", _ROUTE, body={"appId": 1, "code": code})

    def _loaded(self) -> int:
        """How often the plugin was taken in."""
        assert self.gateway
        lines = self.gateway.log.read_text().splitlines()
        return sum('"a plugin is loaded"' in line and "pear-club" in line for line in lines)

    def _metric(self, name: str) -> int:
        text = http.send(self._admin, "GET", "/metrics", host=f"127.0.0.1:{self._admin}").body.decode()
        found = re.search(rf'^{name}\{{plugin="pear-club"\}} (\d+)$', text, re.MULTILINE)
        return int(found.group(1)) if found else -1

    def install(self) -> None:
        """What is installed runs by itself: with no toolchain, and with no folder of the build."""
        install = [_ROOT / "scripts" / "install", self._prefix, self._configuration]
        for _ in range(2):
            subprocess.run(list(map(str, install)), check=True, capture_output=True, timeout=60)
        expect("a second go leaves nothing half written", not list(self._prefix.rglob("*.new")))
        home, command = self._prefix / "lib" / "speed-gateway", str(self._prefix / "bin" / "speed-gateway")
        clean = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "SPEED_PLUGINS": str(home / "plugins")}

        def output(*arguments: str) -> str:
            run = subprocess.run(
                arguments, cwd=self._place, env=clean, capture_output=True, text=True, timeout=60)
            expect(f"{arguments[0]} ends well: {run.stdout}{run.stderr}", run.returncode == 0)
            return run.stdout

        loaded = dict(re.findall(r"(\S+\.so) => (\S+)", output("ldd", command)))
        expect("the kit is the installed one", Path(loaded["libProviderKit.so"]).resolve().parent == home.resolve())
        swift = Path(loaded["libswiftCore.so"]).parent
        outside = [name for name, path in loaded.items() if Path(path).parent == swift]
        expect("Swift's libraries are installed", all((home / "swift" / name).exists() for name in outside))
        # A mount namespace in which there is no toolchain, where the machine allows one.
        hide = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", 'mount -t tmpfs none "$0"; exec "$@"']
        alone = [*hide, str(swift)] if home.resolve() not in swift.resolve().parents else []
        if alone and subprocess.run([*alone, "true"], env=clean, capture_output=True).returncode != 0:
            print("note: Swift's libraries can't be hidden here: their use is not tested")
            alone = []
        rows = output(*alone, command, "plugin", "list").splitlines()[1:]
        own = {folder.name for folder in (_ROOT / "plugins").iterdir() if (folder / "plugin.yaml").exists()}
        expect("the installed plugins load", own == {row.split()[0] for row in rows if "  loaded" in row})

    def begin(self) -> None:
        self._run("begin.sh")
        for name, text in self._blocks.items():
            if "/" in name:
                expect(f"{name} is a file of the new package", (self._place / name).exists())
                (self._place / name).write_text(text)
        (self._place / "gateway.yaml").write_text(
            f"listen: [{{ address: '127.0.0.1:{self._port}' }}]\nadmin: {{ address: '127.0.0.1:{self._admin}' }}\n"
            "limits: { signIns: { requests: 1000000, per: 1m } }\ndrain: { delay: 0s, timeout: 5s }\n")
        command = self._blocks["serve.sh"].removesuffix(" &\n")
        expect("a gateway is started", command == "speed-gateway serve")
        self.gateway = self._workspace.start(
            "gateway", ["env", "-C", self._place, "PATH=/usr/bin:/bin", f"TMPDIR={self._copies}",
                        self._prefix / "bin" / command.split()[0], *command.split()[1:]])
        wait_until(self.gateway, lambda: http.answers_ok(self._admin, "/readyz"), seconds=30)
        expect("nobody has the route yet", self._sign_in("x").error == "provider_unavailable")

    def load(self) -> None:
        self._run("load.sh")
        assert self.gateway
        wait_until(self.gateway, lambda: self._sign_in("x").error == "invalid_invitation", seconds=10, step=0.1)
        session = json.loads(self._run("ada.sh"))
        expect("Ada has an account", session["isNewAccount"] and session["user"]["name"] == "Ada")
        again = json.loads(self._run("ada.sh"))
        expect("her code is good once", again["error"] == "invalid_invitation")

    def change(self) -> None:
        """While it changes, nobody who signs in notices."""
        assert self.gateway
        with Crowd(self._sign_in) as crowd:
            self._run("change.sh")
            wait_until(self.gateway, lambda: self._loaded() == 2, seconds=10, step=0.1)
        expect(f"each of many answers is the plugin's: {crowd.answers}",
                set(crowd.answers) == {(401, "invalid_invitation")} and crowd.answers.total() > 50)
        session = json.loads(self._run("grace.sh"))
        expect("the new version serves", session["user"]["name"] == "Grace Hopper")

    def keep_the_good_one(self) -> None:
        """A library that is cut off in its place, as by a copy that failed: the last good version goes on."""
        assert self.gateway
        library = self._place / "plugins" / "pear-club" / "libPearClubPlugin.so"
        whole = library.read_bytes()
        with Crowd(self._sign_in) as crowd:
            library.write_bytes(whole[:len(whole) // 2])
            wait_until(self.gateway, lambda: self._metric("speed_plugin_rejected") == 1, seconds=10, step=0.1)
            library.write_bytes(whole)
            wait_until(self.gateway, lambda: self._metric("speed_plugin_rejected") == 0, seconds=10, step=0.1)
        expect(f"each of many answers is the plugin's: {crowd.answers}",
                set(crowd.answers) == {(401, "invalid_invitation")} and crowd.answers.total() > 50)
        expect("it is loaded all the time", self._metric("speed_plugin_loaded") == 1)

    def isolate(self) -> None:
        """From one process to another, with nobody refused."""
        assert self.gateway
        with Crowd(self._sign_in) as crowd:
            self._run("isolate.sh")
            wait_until(
                self.gateway, lambda: self._metric("speed_plugin_process_up") == 1, seconds=10, step=0.1)
        expect(f"each answer is the plugin's: {crowd.answers}", set(crowd.answers) == {(401, "invalid_invitation")})
        again = json.loads(self._run("grace.sh"))
        expect("it still serves", again["error"] == "invalid_invitation")

    def end(self) -> None:
        assert self.gateway
        expect("copies of the libraries are kept while it runs", len(list(self._copies.iterdir())) == 1)
        shutil.rmtree(self._place / "plugins" / "pear-club")
        wait_until(self.gateway, lambda: self._sign_in("x").error == "provider_unavailable", seconds=10, step=0.1)
        expect("the gateway ends well", self.gateway.stop(15) == 0)
        expect("nothing of them is left behind", list(self._copies.iterdir()) == [])


class Crowd:
    """Three people who try one code after another, until the `with` block ends."""

    def __init__(self, sign_in: Any) -> None:
        self.answers: Counter[tuple[int, str | None]] = Counter()
        self._sign_in = sign_in
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._people = [threading.Thread(target=self._try, daemon=True) for _ in range(3)]

    def __enter__(self) -> Crowd:
        for person in self._people:
            person.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for person in self._people:
            person.join()

    def _try(self) -> None:
        while not self._over.wait(0.02):
            try:
                answer = self._sign_in("x")
                what = (answer.status, answer.error)
            except OSError as problem:
                what = (0, type(problem).__name__)
            with self._lock:
                self.answers[what] += 1


if __name__ == "__main__":
    sys.exit(main())
