"""A person with a browser: Debian's Chromium without a window, driven over WebDriver."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from harness.processes import Failure, find_program
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException, WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

_PACKAGE = importlib.util.find_spec("axe_playwright_python")
# The package is found and not imported: of what it needs for itself nothing is there.
_AXE = (Path(_PACKAGE.submodule_search_locations[0]) / "axe.min.js").read_text() if _PACKAGE else ""
_PAGE_BYTES = 30 * 1024
_PATIENCE = 15


@dataclass(frozen=True)
class Screen:
    name: str
    width: int
    height: int
    is_phone: bool


PHONE = Screen("phone", 390, 844, True)
DESKTOP = Screen("desktop", 1280, 900, False)


class Visitor:
    """What a person does and sees. Each page that is looked at is pictured, and judged by axe."""

    def __init__(self, driver: webdriver.Chrome, screen: Screen, pictures: Path, *, runs_scripts: bool) -> None:
        self.driver = driver
        self.screen = screen
        self._pictures = pictures
        self._runs_scripts = runs_scripts
        self._looked = 0

    @staticmethod
    @contextmanager
    def arrive(
        screen: Screen, pictures: Path, *, scripts: bool = True, dark: bool = False
    ) -> Iterator[Visitor]:
        options = Options()
        options.binary_location = find_program("chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {
            "intl.accept_languages": "en-US", "credentials_enable_service": False,
            **({} if scripts else {"profile.managed_default_content_settings.javascript": 2})})
        # A driver that emulates a phone needs scripts in the page.
        emulates = screen.is_phone and scripts
        if emulates:
            options.add_experimental_option("mobileEmulation", {"deviceMetrics": {
                "width": screen.width, "height": screen.height, "pixelRatio": 2.0, "touch": True}})
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(find_program("chromedriver")))
        try:
            if not emulates:
                driver.set_window_size(screen.width, screen.height)
            if dark:
                driver.execute_cdp_cmd(
                    "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
            yield Visitor(driver, screen, pictures, runs_scripts=scripts)
        finally:
            driver.quit()

    def open(self, url: str) -> None:
        self.driver.get(url)

    def element(self, id: str) -> WebElement:
        """An element, as soon as it is there."""
        return self._wait(lambda: self._find(id), f"#{id}")

    def has(self, id: str) -> bool:
        return self._find(id) is not None

    def click(self, id: str) -> None:
        self.element(id).click()

    def fill(self, **fields: str) -> None:
        """Types into fields by their ids."""
        for id, text in fields.items():
            field = self.element(id)
            field.clear()
            field.send_keys(text)

    def text(self) -> str:
        return str(self.driver.find_element(By.TAG_NAME, "body").text)

    def alert(self) -> str:
        """What the page says is wrong, as a screen reader would say it at once."""
        return str(self._wait(
            lambda: next(filter(None, (
                one.text for one in self.driver.find_elements(By.CSS_SELECTOR, "[role=alert]"))), None), "an alert"))

    def look(self, name: str) -> None:
        """Pictures the page, and holds it to what all pages promise."""
        self._looked += 1
        self.driver.save_screenshot(str(self._pictures / f"{self.screen.name}-{self._looked:02}-{name}.png"))
        size = len(self.driver.page_source.encode())
        if size > _PAGE_BYTES:
            raise Failure(f"{name}: the page has {size} bytes")
        if not self._runs_scripts:
            return
        if self.driver.execute_script("return document.documentElement.scrollWidth > innerWidth"):
            raise Failure(f"{name}: the page is wider than its window")
        self.driver.execute_script(_AXE)
        found = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then(result => done(result.violations))")
        if found:
            told = [f"{each['id']}: {each['help']} ({', '.join(node['html'][:120] for node in each['nodes'])})"
                    for each in found]
            raise Failure(f"{name}: " + "; ".join(told))
        self.complains()

    def complains(self) -> None:
        """Fails where the browser refused something that the page wanted."""
        refused = [entry["message"] for entry in self.driver.get_log("browser")
                   if "Content Security Policy" in entry["message"] or "Refused to" in entry["message"]]
        if refused:
            raise Failure(f"the browser refused: {_without_data(refused[0])}")

    def arrives(self, target: str) -> dict[str, str]:
        """Waits until the browser is back at the app, and gives the query that it came with."""
        self._wait(lambda: self.driver.current_url.startswith(target) or None, f"the app at {target}")
        return _query(self.driver.current_url)

    def is_sent(self, target: str) -> dict[str, str]:
        """Waits until a redirect to `target`, which may be of a scheme that no program here has."""
        seen: list[str] = []

        def sent() -> str | None:
            for entry in self.driver.get_log("performance"):
                message = json.loads(entry["message"])["message"]
                if message["method"] in ("Network.responseReceivedExtraInfo", "Network.requestWillBeSent"):
                    params = message["params"]
                    headers = params.get("headers") or params.get("redirectResponse", {}).get("headers", {})
                    location = next((value for key, value in headers.items() if key.lower() == "location"), "")
                    if location:
                        seen.append(location)
            return next((one for one in seen if one.startswith(target)), None)

        return _query(self._wait(sent, f"a redirect to {target}"))

    def data(self, query: dict[str, str]) -> dict[str, Any]:
        """The JSON of a sign-in that an app got."""
        if "_speed_auth_data" not in query:
            raise Failure(f"the app got {sorted(query)}")
        return dict(json.loads(query["_speed_auth_data"]))

    def speaks(self, language: str) -> None:
        agent = self.driver.execute_script("return navigator.userAgent")
        self.driver.execute_cdp_cmd("Network.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": language})

    def uses_passkey(self, target: str) -> None:
        """Signs in with the device's passkey: a browser may offer it by itself; the button is for those that do not."""
        def is_done() -> bool:
            if self.driver.current_url.startswith(target):
                return True
            for button in self.driver.find_elements(By.ID, "passkey-sign-in"):
                with suppress(WebDriverException):
                    button.click()
            return False

        self._wait(is_done, "the app")

    def gets_authenticator(self) -> None:
        """From here on the device has a fingerprint reader that keeps passkeys, and its owner at hand."""
        options = VirtualAuthenticatorOptions(
            protocol="ctap2", transport="internal", has_resident_key=True, has_user_verification=True,
            is_user_verified=True)
        self.driver.add_virtual_authenticator(options)

    def _find(self, id: str) -> WebElement | None:
        found = self.driver.find_elements(By.ID, id)
        return found[0] if found else None

    def _wait(self, condition: Any, what: str) -> Any:
        try:
            # What was found may be gone with its page before it is read.
            return WebDriverWait(self.driver, _PATIENCE, 0.05, [StaleElementReferenceException]).until(
                lambda _: condition())
        except TimeoutException as error:
            self.driver.save_screenshot(str(self._pictures / f"{self.screen.name}-missing.png"))
            heading = [one.text for one in self.driver.find_elements(By.TAG_NAME, "h1")]
            raise Failure(
                f"{what} did not come; the page is {urlsplit(self.driver.current_url).path} {heading}") from error


def _query(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query, keep_blank_values=True).items()}


def _without_data(text: str) -> str:
    return re.sub(r"_speed_auth_data=[^\s\"'&]+", "_speed_auth_data=…", text)
