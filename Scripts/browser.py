"""A headless Chromium for checks of pages."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path


class BrowserError(Exception):
    pass


def installed_chromium():
    """The path of a Chromium, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    """A headless Chromium with a page, which takes its commands from a pipe."""

    def __init__(self, program, address, folder):
        # Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        log = open(Path(folder) / "chromium.log", "w")
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{commands} 4>&{answers}; exec "$@"', "-", program,
             "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--no-first-run", f"--user-data-dir={folder}/profile",
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=(commands, answers), stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.buffer, self.last, self.session = b"", 0, None
        target = self.call("Target.createTarget", url=address)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                read = os.read(self.answers, 1 << 20)
                if not read:
                    raise BrowserError("Chromium ended")
                self.buffer += read
            text, _, self.buffer = self.buffer.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def resize(self, width, height, mobile=False, scale=1, scheme="light"):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=mobile)

    def expect_fits(self, width):
        """Demands that nothing is wider than the window."""
        shown = self.evaluate("document.documentElement.scrollWidth")
        if shown > width:
            raise BrowserError(f"the page is {shown} points wide in a window of {width} points")

    def picture(self):
        """A PNG of what is visible."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self):
        self.process.terminate()
        self.process.wait(15)
