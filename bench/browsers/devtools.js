/** Drives any Chromium by the DevTools protocol; Playwright does not know the old ones. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { startBrowser } from './browser-process.js';
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
  return {
    open: (/** @type {PageOptions} */ options) => openPage(Number(port), options),
    cpuSeconds: () => readCpuSeconds(Number(port)),
  };
}

/** Returns the CPU time of all processes of the browser so far. @param {number} port of DevTools */
async function readCpuSeconds(port) {
  const response = await fetch(`http://127.0.0.1:${port}/json/version`);
  const { webSocketDebuggerUrl } = /** @type {any} */ (await response.json());
  const socket = new WebSocket(webSocketDebuggerUrl, { perMessageDeflate: false });
  await once(socket, 'open');
  const { processInfo } = await new DevToolsPage(socket).send('SystemInfo.getProcessInfo');
  socket.close();
  return processInfo.reduce(
    (/** @type {number} */ sum, /** @type {{cpuTime: number}} */ { cpuTime }) => sum + cpuTime,
    0,
  );
}

/** @typedef {import('./scripted-page.js').PageOptions} PageOptions */

/** @param {number} port of DevTools @param {PageOptions} options */
async function openPage(port, { url, width, height, mobile = false, init = '' }) {
  const response = await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: 'PUT' });
  const { webSocketDebuggerUrl } = /** @type {any} */ (await response.json());
  const socket = new WebSocket(webSocketDebuggerUrl, { perMessageDeflate: false });
  await once(socket, 'open');
  const page = new DevToolsPage(socket);
  await page.send('Page.enable');
  await page.send('Runtime.enable');
  const metrics = { width, height, mobile, deviceScaleFactor: 1 };
  await page.send('Emulation.setDeviceMetricsOverride', metrics);
  await page.send('Emulation.setTouchEmulationEnabled', { enabled: mobile });
  await page.send('Page.addScriptToEvaluateOnNewDocument', { source: init });
  await page.send('Page.navigate', { url });
  return page;
}

export class DevToolsPage extends ScriptedPage {
  #socket;
  #id = 0;
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  #calls = new Map();

  /** @param {WebSocket} socket */
  constructor(socket) {
    super();
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data))));
    socket.on('close', () => {
      for (const { reject } of this.#calls.values()) reject(new Error('the browser has ended'));
      this.#calls.clear();
    });
  }

  /** @param {any} message */
  #receive({ id, result, error, method, params }) {
    if (method === 'Runtime.exceptionThrown') {
      const { text, exception, url } = params.exceptionDetails;
      this.errors.push(`${url}: ${exception?.description ?? text}`);
    }
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    if (error) call.reject(new Error(error.message));
    else call.resolve(result);
  }

  /** Sends a command. @param {string} method @param {object} [params] @returns {Promise<any>} */
  send(method, params = {}) {
    const id = ++this.#id;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
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

  /** Writes a picture of the page. @param {string} path */
  async screenshot(path) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }
}
