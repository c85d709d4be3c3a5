/** Drives any Chromium by the DevTools protocol; Playwright does not know the old ones. */
import { Control, startBrowser } from './browser-process.js';
import { ScriptedPage } from './scripted-page.js';

/**
 * Launches a Chromium. It is closed after the test.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {string} binary
 * @param {string[]} [flags]
 */
export async function launch(t, binary, flags = []) {
  const listening = /DevTools listening on ws:\/\/[^:]+:(\d+)\//;
  const port = await startBrowser(t, binary, listening, (profile) => ({
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--mute-audio',
      '--hide-scrollbars',
      '--no-first-run',
      '--disable-background-networking',
      `--user-data-dir=${profile}`,
      '--remote-debugging-port=0',
      ...flags,
      'about:blank',
    ],
  }));
  return { open: (/** @type {PageOptions} */ options) => openPage(Number(port), options) };
}

/** @typedef {import('./scripted-page.js').PageOptions} PageOptions */

/** @param {number} port of DevTools @param {PageOptions} options */
async function openPage(port, { url, width, height, mobile = false, init = '' }) {
  const response = await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: 'PUT' });
  const { webSocketDebuggerUrl } = /** @type {any} */ (await response.json());
  /** @type {string[]} */
  const errors = [];
  const control = await Control.open(webSocketDebuggerUrl, (method, params) => {
    if (method !== 'Runtime.exceptionThrown') return;
    const { text, exception, url } = params.exceptionDetails;
    errors.push(`${url}: ${exception?.description ?? text}`);
  });
  const send = control.send.bind(control);
  await send('Page.enable');
  await send('Runtime.enable');
  const metrics = { width, height, mobile, deviceScaleFactor: 1 };
  await send('Emulation.setDeviceMetricsOverride', metrics);
  await send('Emulation.setTouchEmulationEnabled', { enabled: mobile });
  await send('Page.addScriptToEvaluateOnNewDocument', { source: init });
  await send('Page.navigate', { url });
  return Object.assign(new ScriptedPage(driverOf(send), errors), { send });
}

/** @param {Control['send']} send @returns {import('./scripted-page.js').Driver} */
const driverOf = (send) => ({
  async evaluateText(expression) {
    const options = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = await send('Runtime.evaluate', options);
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  },

  moveFinger(type, at) {
    const name = { start: 'touchStart', move: 'touchMove', end: 'touchEnd' }[type];
    const touchPoints = type === 'end' ? [] : [at];
    return send('Input.dispatchTouchEvent', { type: name, touchPoints });
  },

  takePicture: async () => (await send('Page.captureScreenshot', { format: 'png' })).data,
});
