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
  const page = new DevToolsPage(control, errors);
  await page.send('Page.enable');
  await page.send('Runtime.enable');
  const metrics = { width, height, mobile, deviceScaleFactor: 1 };
  await page.send('Emulation.setDeviceMetricsOverride', metrics);
  await page.send('Emulation.setTouchEmulationEnabled', { enabled: mobile });
  await page.send('Page.addScriptToEvaluateOnNewDocument', { source: init });
  await page.send('Page.navigate', { url });
  return page;
}

class DevToolsPage extends ScriptedPage {
  #control;

  /** @param {Control} control @param {string[]} errors */
  constructor(control, errors) {
    super(errors);
    this.#control = control;
  }

  /** Sends a command. @param {string} method @param {object} [params] @returns {Promise<any>} */
  send(method, params) {
    return this.#control.send(method, params);
  }

  /** @override @param {string} expression */
  async evaluateText(expression) {
    const options = { returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      ...options,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  /** @override @param {'start' | 'move' | 'end'} type @param {import('./scripted-page.js').Point} at */
  async moveFinger(type, at) {
    const name = { start: 'touchStart', move: 'touchMove', end: 'touchEnd' }[type];
    const touchPoints = type === 'end' ? [] : [at];
    await this.send('Input.dispatchTouchEvent', { type: name, touchPoints });
  }

  /** @override */
  async takePicture() {
    return (await this.send('Page.captureScreenshot', { format: 'png' })).data;
  }
}
