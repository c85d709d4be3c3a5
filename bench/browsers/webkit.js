/** Drives WebKitGTK's MiniBrowser by WebDriver, on a virtual display: https://www.w3.org/TR/webdriver2/ */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { freePort } from '../harness/free-ports.js';
import { poll } from '../harness/polling.js';
import { ScriptedPage, pointerActions } from './scripted-page.js';

const FOLDERS = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].flatMap((machine) =>
  ['4.1', '6.0', '4.0'].map((version) => `/usr/lib/${machine}/webkit2gtk-${version}`),
);
const BINARY = FOLDERS.map((folder) => `${folder}/MiniBrowser`).find(existsSync);

/** Returns what has to be installed, or undefined. @returns {string | undefined} */
export function whatIsMissing() {
  const hasPrograms = ['WebKitWebDriver', 'Xvfb'].every(
    (program) => spawnSync('which', [program]).status === 0,
  );
  if (BINARY && hasPrograms) return undefined;
  return 'webkit2gtk-driver or xvfb is not installed';
}

/**
 * Starts a program that is stopped after the test.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env]
 */
function start(t, command, args, env) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  child.on('error', () => {}); // the caller waits for its output
  t.after(async () => {
    if (child.kill()) await once(child, 'exit');
  });
  return child;
}

/** Launches the browser. It is closed after the test. @param {{after: (action: () => unknown) => void}} t */
export async function launch(t) {
  const display = start(t, 'Xvfb', ['-displayfd', '1', '-screen', '0', '1600x1200x24']);
  const [number] = await once(display.stdout.setEncoding('utf8'), 'data');
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  start(t, 'WebKitWebDriver', [`--port=${port}`], {
    DISPLAY: `:${number.trim()}`,
    GDK_BACKEND: 'x11',
    LIBGL_ALWAYS_SOFTWARE: '1',
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  });
  await poll(() => fetch(`${base}/status`).catch(() => null), Infinity);
  const { sessionId } = await request('POST', `${base}/session`, {
    capabilities: {
      alwaysMatch: {
        browserName: 'MiniBrowser',
        'webkitgtk:browserOptions': { binary: BINARY, args: ['--automation'] },
      },
    },
  });
  const session = `${base}/session/${sessionId}`;
  t.after(() => request('DELETE', session).catch(() => {}));
  return {
    open: (/** @type {import('./scripted-page.js').PageOptions} */ options) =>
      openPage(session, options),
  };
}

/** @param {string} method @param {string} url @param {object} [body] @returns {Promise<any>} */
async function request(method, url, body) {
  const response = await fetch(url, { method, body: body && JSON.stringify(body) });
  const { value } = /** @type {any} */ (await response.json());
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** @param {string} session @param {import('./scripted-page.js').PageOptions} options */
async function openPage(session, { url, width, height }) {
  const page = new ScriptedPage(driverOf(session));
  await request('POST', `${session}/url`, { url: 'about:blank' });
  await request('POST', `${session}/window/rect`, { width, height });
  // The window is larger than the page.
  const inner = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
  await request('POST', `${session}/window/rect`, {
    width: 2 * width - inner.width,
    height: 2 * height - inner.height,
  });
  await request('POST', `${session}/url`, { url });
  return page;
}

/**
 * Controls a page. The finger is the mouse, because the driver has no touch.
 * @param {string} session URL @returns {import('./scripted-page.js').Driver}
 */
const driverOf = (session) => ({
  async evaluateText(expression) {
    const script = `const done = arguments[0];
      Promise.resolve(${expression}).then(
        (value) => done(JSON.stringify({ value })), (error) => done(JSON.stringify({ error: String(error) })));`;
    const text = await request('POST', `${session}/execute/async`, { script, args: [] });
    const { value, error } = JSON.parse(text);
    if (error) throw new Error(error);
    return value;
  },

  moveFinger: (type, at) =>
    request('POST', `${session}/actions`, { actions: pointerActions('mouse', type, at) }),

  takePicture: () => request('GET', `${session}/screenshot`),
});
