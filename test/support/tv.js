/** Starts a TV for a test, and clients that connect to it. */
import { ENGINES } from '../../app/engine/index.js';
import { Client, maxWaitMs } from '../../bench/harness/client.js';
import { all, extent } from './extent.js';
import faulty from './faulty.js';
import { poll } from './polling.js';

export { Client };
export { temporaryFolder } from './folders.js';

/** The entry of the faulty game in the catalogue. */
export const faultyGame = /** @type {import('../../app/packages/catalog.js').Game} */ (
  /** @type {unknown} */ ({
    ...faulty,
    url: new URL('./faulty.js', import.meta.url).href,
    hash: 'f'.repeat(64),
  })
);

/** The games of most tests. This one has two seats. */
export const games = [faultyGame];

/** The engine of a TV whose test does not choose one: the best one here; in `make test` the one that starts fastest. */
const ENGINE = all ? 'auto' : 'thread';

/**
 * The engines with which tests of a whole TV or match run: in `make test` the zygote, since test/engine checks that all
 * engines keep the same contract.
 */
export const TV_ENGINES = extent(['zygote'], ENGINES);

/**
 * Loads some games that come with pitv. A TV with the zygote takes a second of CPU time for each game that it has.
 * @param {string[]} ids
 */
export async function gamesOf(...ids) {
  const { loadCatalog } = await import('../../app/packages/catalog.js');
  return (await loadCatalog()).filter(({ id }) => ids.includes(id));
}

/**
 * Starts a TV on a free port. It is stopped after the test.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {{args?: string[]} & Parameters<typeof import('../../bench/harness/local-tv.js').startLocalTv>[1]} [options]
 */
export async function startTv(t, { args = [], ...options } = {}) {
  // Imported here, so that tests that only need a client do not load the whole TV.
  const { startLocalTv } = await import('../../bench/harness/local-tv.js');
  const own = ['--max-matches', '8'];
  if (!args.includes('--engine')) own.push('--engine', ENGINE);
  // Threads cannot be locked, and some machines cannot lock anything.
  if (!args.includes('--untrusted-games')) own.push('--untrusted-games', 'open');
  const times = { readyMs: 0, ...options.times };
  const { tv, close } = await startLocalTv([...own, ...args], { ...options, times });
  t.after(close);
  return tv;
}

/**
 * Polls a condition until its result is truthy.
 * @param {() => unknown} condition @param {string} what for the error @param {number} [timeoutMs]
 * @returns {Promise<any>} the result
 */
export async function until(condition, what, timeoutMs = maxWaitMs()) {
  const value = await poll(condition, timeoutMs);
  if (!value) throw new Error(`waited in vain for ${what}`);
  return value;
}

/**
 * Starts a TV with the faulty game, and connects a screen, then phones.
 * @param {{after: (action: () => unknown) => void}} t @param {string[]} [names] of the players
 * @param {Parameters<typeof startTv>[1]} [options]
 * @returns {Promise<[import('../../app/tv.js').Tv, Client, ...Client[]]>} TV, screen and phones
 */
export async function openRoom(t, names = [], options = {}) {
  const tv = await startTv(t, { games, ...options });
  const screen = await Client.screen(tv);
  const pads = [];
  for (const name of names) pads.push(await Client.pad(tv, { name }));
  return [tv, screen, ...pads];
}

/** Requests /metrics. @param {{url: string}} tv @returns {Promise<Map<string, number>>} values by name and labels */
export async function metricsOf(tv) {
  const text = await (await fetch(`${tv.url}/metrics`)).text();
  return new Map(
    text
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
}

/**
 * Sets a variable of the environment until the end of the test.
 * @param {import('node:test').TestContext} t @param {string} name @param {string} value
 */
export function setVariable(t, name, value) {
  const before = process.env[name];
  process.env[name] = value;
  t.after(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}
