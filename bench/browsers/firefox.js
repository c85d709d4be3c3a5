/** Drives Firefox by WebDriver BiDi: https://www.w3.org/TR/webdriver-bidi/ */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { startBrowser } from './browser-process.js';
import { ScriptedPage } from './scripted-page.js';

/** Settings of the profile: touch events, and no requests to other hosts. */
const PREFERENCES = Object.freeze({
  'dom.w3c_touch_events.enabled': 1,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.server': 'data:,',
});

/**
 * Launches Firefox. It is closed after the test.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {string} binary
 */
export async function launch(t, binary) {
  const url = await startBrowser(
    t,
    binary,
    /WebDriver BiDi listening on (ws:\/\/\S+)/,
    (profile) => {
      const lines = Object.entries(PREFERENCES).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
      );
      writeFileSync(join(profile, 'user.js'), lines.join('\n'));
      return {
        args: ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
        env: { ...process.env, HOME: profile, MOZ_DISABLE_CONTENT_SANDBOX: '1' },
      };
    },
  );
  const socket = new WebSocket(`${url}/session`, { perMessageDeflate: false });
  await once(socket, 'open');
  const session = new Session(socket);
  await session.send('session.new', { capabilities: {} });
  return {
    open: (/** @type {import('./scripted-page.js').PageOptions} */ options) =>
      openPage(session, options),
  };
}

/** @param {Session} session @param {import('./scripted-page.js').PageOptions} options */
async function openPage(session, { url, width, height, init = '' }) {
  const { context } = await session.send('browsingContext.create', { type: 'tab' });
  const page = new FirefoxPage(session, context);
  await session.send('session.subscribe', { events: ['log.entryAdded'], contexts: [context] });
  const viewport = { width, height };
  await session.send('browsingContext.setViewport', { context, viewport, devicePixelRatio: 1 });
  const functionDeclaration = `() => { ${init} }`;
  await session.send('script.addPreloadScript', { functionDeclaration, contexts: [context] });
  await session.send('browsingContext.navigate', { context, url, wait: 'interactive' });
  return page;
}

/** A connection to the browser. */
class Session {
  /** Called with the text of each error, by context. @type {Map<string, (text: string) => void>} */
  onError = new Map();
  #socket;
  #id = 0;
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  #calls = new Map();

  /** @param {WebSocket} socket */
  constructor(socket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data))));
    socket.on('close', () => {
      for (const { reject } of this.#calls.values()) reject(new Error('the browser has ended'));
      this.#calls.clear();
    });
  }

  /** @param {any} message */
  #receive({ id, type, result, error, message, method, params }) {
    if (method === 'log.entryAdded' && params.type === 'javascript' && params.level === 'error') {
      this.onError.get(params.source.context)?.(params.text);
    }
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    if (type === 'error') call.reject(new Error(`${error}: ${message}`));
    else call.resolve(result);
  }

  /** Sends a command. @param {string} method @param {object} params @returns {Promise<any>} */
  send(method, params) {
    const id = ++this.#id;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }
}

class FirefoxPage extends ScriptedPage {
  #session;
  #context;

  /** @param {Session} session @param {string} context of the tab */
  constructor(session, context) {
    super();
    this.#session = session;
    this.#context = context;
    session.onError.set(context, (text) => this.errors.push(text));
  }

  /** @override @param {string} expression */
  async evaluateText(expression) {
    const { type, result, exceptionDetails } = await this.#session.send('script.evaluate', {
      expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value))`,
      awaitPromise: true,
      target: { context: this.#context },
    });
    if (type === 'exception') throw new Error(exceptionDetails.text);
    return result.type === 'string' ? JSON.parse(result.value) : undefined;
  }

  /** @override @param {'start' | 'move' | 'end'} type @param {import('./scripted-page.js').Point} at */
  async moveFinger(type, { x, y }) {
    const move = { type: 'pointerMove', x: Math.round(x), y: Math.round(y) };
    const actions = {
      start: [move, { type: 'pointerDown', button: 0 }],
      move: [move],
      end: [{ type: 'pointerUp', button: 0 }],
    }[type];
    await this.#session.send('input.performActions', {
      context: this.#context,
      actions: [{ type: 'pointer', id: 'finger', parameters: { pointerType: 'touch' }, actions }],
    });
  }

  /** Writes a picture of the page. @param {string} path */
  async screenshot(path) {
    const { data } = await this.#session.send('browsingContext.captureScreenshot', {
      context: this.#context,
    });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }
}
