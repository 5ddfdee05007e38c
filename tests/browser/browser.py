# SPDX-License-Identifier: GPL-3.0-or-later
"""Chromium without a window, steered by its debugging protocol over a pipe: nothing listens on a port.
https://chromedevtools.github.io/devtools-protocol/"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix='softlabel-browser-')
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def give():
            # Beyond 3 and 4 first: what is moved there might be one of the two.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
             '--no-first-run', '--disable-extensions', '--disable-background-networking', '--disable-sync',
             '--disable-component-update', '--remote-debugging-pipe', f'--user-data-dir={self.profile}', 'about:blank'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=give)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.events, self.session = b'', 0, [], None
        self.use(self.new_tab())

    def new_tab(self):
        """Another tab, for use(); it shares what is stored with the others."""
        before, self.session = self.session, None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Network', 'Log', 'Accessibility'):
            self.call(f'{domain}.enable')
        made, self.session = self.session, before
        return made

    def use(self, tab):
        self.session = tab
        self.call('Page.bringToFront')
        return tab

    def read(self, until):
        while b'\0' not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                raise TimeoutError('the browser does not answer')
            got = os.read(self.into, 1 << 20)
            if not got:
                raise EOFError('the browser has ended')
            self.rest += got
        message, self.rest = self.rest.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, timeout=60, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.out, json.dumps(message).encode() + b'\0')
        until = time.monotonic() + timeout
        while True:
            answer = self.read(until)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]["message"]}')
                return answer['result']
            self.events.append(answer)

    def look(self, width, scheme, media=''):
        """From now on pages are so wide, light or dark, on a screen or on paper (media='print')."""
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call('Emulation.setEmulatedMedia', media=media, features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def open(self, path, timeout=60):
        """Opens a file; returns the events until it is loaded, and a moment longer."""
        return self.go(f'file://{os.path.abspath(path)}', timeout)

    def go(self, url, timeout=60):
        """The same of an address."""
        self.events = []
        self.call('Page.navigate', url=url)
        until = time.monotonic() + timeout
        while not any(event.get('method') == 'Page.loadEventFired' for event in self.events):
            self.events.append(self.read(until))
        self.value('new Promise(done => setTimeout(done, 200))')
        return self.events

    def value(self, script):
        result = self.call('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(result['exceptionDetails'].get('exception', {}).get('description', script))
        return result['result'].get('value')

    def until(self, script, timeout=20):
        """Waits until SCRIPT's value is true."""
        end = time.monotonic() + timeout
        while not self.value(script):
            if time.monotonic() > end:
                raise TimeoutError(f'this does not become true: {script}')
            time.sleep(0.02)

    def key(self, key):
        """Presses and lets go: a character, or a key by its name, Enter or Tab."""
        codes = {'Enter': 13, 'Tab': 9, 'ArrowRight': 39, 'ArrowLeft': 37, 'ArrowDown': 40, ' ': 32}
        code = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        text = {'Enter': '\r'}.get(key, key if len(key) == 1 else '')
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, text=text, windowsVirtualKeyCode=code)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key, windowsVirtualKeyCode=code)

    def keys(self, text):
        for key in text:
            self.key(key)

    def click(self, selector):
        """Where SELECTOR's element is, after it was scrolled into sight."""
        x, y = self.value(f'''(() => {{
          const element = document.querySelector({json.dumps(selector)});
          element.scrollIntoView({{ block: 'center' }});
          const box = element.getBoundingClientRect();
          return [box.left + box.width / 2, box.top + box.height / 2];
        }})()''')
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)

    def downloads_to(self, folder):
        session, self.session = self.session, None
        self.call('Browser.setDownloadBehavior', behavior='allow', downloadPath=folder)
        self.session = session

    def screenshot(self, path, most=16000):
        size = self.call('Page.getLayoutMetrics')['cssContentSize']
        clip = {'x': 0, 'y': 0, 'width': size['width'], 'height': min(size['height'], most), 'scale': 1}
        picture = self.call('Page.captureScreenshot', format='png', captureBeyondViewport=True, clip=clip)
        with open(path, 'wb') as file:
            file.write(base64.b64decode(picture['data']))

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
