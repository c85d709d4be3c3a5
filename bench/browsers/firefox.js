/** Drives Firefox by WebDriver BiDi: https://www.w3.org/TR/webdriver-bidi/ */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Control, startBrowser } from './browser-process.js';
import { ScriptedPage, pointerActions } from './scripted-page.js';

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
  /** Errors of the pages, by context. @type {Map<string, string[]>} */
  const errors = new Map();
  const session = await Control.open(`${url}/session`, (method, { type, level, source, text }) => {
    const isError = method === 'log.entryAdded' && type === 'javascript' && level === 'error';
    if (isError) errors.get(source.context)?.push(text);
  });
  await session.send('session.new', { capabilities: {} });
  return {
    open: (/** @type {import('./scripted-page.js').PageOptions} */ options) =>
      openPage(session, errors, options),
  };
}

/**
 * @param {Control} session @param {Map<string, string[]>} errors
 * @param {import('./scripted-page.js').PageOptions} options
 */
async function openPage(session, errors, { url, width, height, init = '' }) {
  const { context } = await session.send('browsingContext.create', { type: 'tab' });
  const page = new ScriptedPage(driverOf(session, context));
  errors.set(context, page.errors);
  await session.send('session.subscribe', { events: ['log.entryAdded'], contexts: [context] });
  const viewport = { width, height };
  await session.send('browsingContext.setViewport', { context, viewport, devicePixelRatio: 1 });
  const functionDeclaration = `() => { ${init} }`;
  await session.send('script.addPreloadScript', { functionDeclaration, contexts: [context] });
  await session.send('browsingContext.navigate', { context, url, wait: 'interactive' });
  return page;
}

/** @param {Control} session @param {string} context of the tab @returns {import('./scripted-page.js').Driver} */
const driverOf = (session, context) => ({
  async evaluateText(expression) {
    const { type, result, exceptionDetails } = await session.send('script.evaluate', {
      expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value))`,
      awaitPromise: true,
      target: { context },
    });
    if (type === 'exception') throw new Error(exceptionDetails.text);
    return result.type === 'string' ? JSON.parse(result.value) : undefined;
  },

  moveFinger(type, at) {
    const actions = pointerActions('touch', type, at);
    return session.send('input.performActions', { context, actions });
  },

  takePicture: async () =>
    (await session.send('browsingContext.captureScreenshot', { context })).data,
});
