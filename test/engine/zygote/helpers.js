/** Helpers of the zygote's tests. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { temporaryFolder } from '../../support/folders.js';
import { openScope } from '../../support/polling.js';
import { until } from '../helpers.js';

export { isAlive, parentOf } from '../../support/serve.js';

/** @typedef {import('../../../app/engine/zygote/index.js').Zygote} Zygote */
/** @typedef {import('../../../app/engine/zygote/index.js').ZygoteOptions} ZygoteOptions */
/** @typedef {import('../../../app/engine/zygote/index.js').ForkOptions} ForkOptions */
/** @typedef {{after: (action: () => any) => void}} Context of a test */

/** @param {string} name of a file in modules/ */
export const moduleUrl = (name) => new URL(`./modules/${name}.js`, import.meta.url);

/** @param {string} source @returns {string} URL of a module */
export const moduleOf = (source) => `data:text/javascript,${encodeURIComponent(source)}`;

/** @type {ZygoteOptions} */
export const quiet = { stdio: ['ignore', 'ignore', 'ignore'] };

/** @param {Promise<unknown>} promise @param {string} code @param {RegExp} [words] of the message */
export const rejects = (promise, code, words = /./) =>
  assert.rejects(promise, { code, message: words });

/**
 * Makes a zygote, which is closed after the test.
 * @param {Context} t @param {string | URL} module @param {ZygoteOptions} [options]
 */
export async function zygoteOf(t, module, options = quiet) {
  const zygote = await createZygote(module, options);
  const alive = setInterval(() => {}, 1000); // a zygote does not keep the process alive
  t.after(() => {
    clearInterval(alive);
    return zygote.close();
  });
  return zygote;
}

/** Makes a zygote of modules/untidy.js. @param {Context} t @param {ZygoteOptions} [options] */
export function untidyZygote(t, options) {
  const folder = temporaryFolder({ file: 'content' });
  return zygoteOf(t, moduleUrl('untidy'), {
    args: { file: join(folder, 'file'), socketPath: join(folder, 'socket') },
    stdio: ['ignore', 'inherit', 'ignore'],
    ...options,
  });
}

/**
 * Makes one zygote of modules/untidy.js for all tests of a suite. It is closed after the last.
 * @returns {{zygote: Zygote}} set before the first test
 */
export function sharedZygote() {
  const scope = openScope();
  const shared = /** @type {any} */ ({});
  before(async () => {
    shared.zygote = await untidyZygote(scope);
  });
  after(scope.close);
  return shared;
}

/**
 * Runs one probe in a child, to the child's end.
 * @param {Zygote} zygote
 * @param {string} probe @param {unknown} [value]
 * @param {ForkOptions} [options]
 */
export async function probe(zygote, probe, value, options) {
  const child = await zygote.fork({ probe, value }, options);
  /** @type {any[]} */
  const messages = [];
  child.on('message', (message) => messages.push(message));
  const exit = await child.exited;
  return { child, messages, exit };
}

/**
 * Runs one probe that must exit with 0 and send one message.
 * @param {Zygote} zygote
 * @param {string} name @param {unknown} [value]
 * @param {ForkOptions} [options]
 * @returns {Promise<any>} the message
 */
export async function ask(zygote, name, value, options) {
  const { messages, exit } = await probe(zygote, name, value, options);
  assert.deepEqual([exit.code, exit.signal], [0, null]);
  assert.equal(messages.length, 1);
  return messages[0];
}

/**
 * Runs a program with a zygote in a process of its own, which must end by itself.
 * @param {string} source with createZygote()
 * @returns {string} what it printed
 */
export const runProgram = (source) =>
  execFileSync(
    process.execPath,
    ['--input-type=module', '-e', `import { createZygote } from '${ZYGOTE}';${source}`],
    { encoding: 'utf8', timeout: 20_000 },
  );
const ZYGOTE = new URL('../../../app/engine/zygote/index.js', import.meta.url);

/** @param {number} pid @returns {number[]} its children, also zombies */
export function childrenOf(pid) {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
  return list.split(' ').filter(Boolean).map(Number);
}

/** Whether a process is a spare: a child that a zygote has forked ahead. @param {number} pid */
export function isSpare(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'pitv:spare\n';
  } catch {
    return false; // it has ended
  }
}

/** @param {number} pid of a zygote @returns {number[]} its spares */
export const sparesOf = (pid) => childrenOf(pid).filter(isSpare);

/** @param {number} pid of a zygote @returns {number | undefined} its first spare */
export const spareOf = (pid) => sparesOf(pid)[0];

/** Waits until a zygote waits for the next order. @param {number} pid */
export const standsStill = (pid) =>
  until(() => / S \d/.test(readFileSync(`/proc/${pid}/stat`, 'latin1')), 'the zygote stands still');
