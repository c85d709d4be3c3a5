/** What the zygote's tests share. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { until } from '../helpers.js';

/** @param {string} name of a file in modules/ */
export const moduleUrl = (name) => new URL(`./modules/${name}.js`, import.meta.url);

/**
 * A zygote of modules/untidy.js, which is closed when the test is over.
 * @param {{after: (action: () => any) => void}} t
 * @param {import('../../../app/engine/zygote/index.js').ZygoteOptions} [options]
 */
export async function untidyZygote(t, options) {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-zygote-'));
  const file = join(folder, 'file');
  const socketPath = join(folder, 'socket');
  writeFileSync(file, 'content');
  const zygote = await createZygote(moduleUrl('untidy'), {
    args: { file, socketPath },
    stdio: ['ignore', 'inherit', 'ignore'],
    ...options,
  });
  const alive = setInterval(() => {}, 1000); // a zygote alone keeps nobody alive
  t.after(async () => {
    clearInterval(alive);
    await zygote.close();
    rmSync(folder, { recursive: true });
  });
  return zygote;
}

/**
 * One child that runs one probe to its end.
 * @param {import('../../../app/engine/zygote/index.js').Zygote} zygote
 * @param {string} probe @param {unknown} [value]
 * @param {import('../../../app/engine/zygote/index.js').ForkOptions} [options]
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
 * The result of a probe that ends well.
 * @param {import('../../../app/engine/zygote/index.js').Zygote} zygote
 * @param {string} name @param {unknown} [value]
 * @param {import('../../../app/engine/zygote/index.js').ForkOptions} [options]
 */
export async function ask(zygote, name, value, options) {
  const { messages, exit } = await probe(zygote, name, value, options);
  assert.deepEqual([exit.code, exit.signal], [0, null]);
  assert.equal(messages.length, 1);
  return messages[0];
}

/** @param {number} pid zombies count, too @returns {number[]} its children */
export function childrenOf(pid) {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
  return list.split(' ').filter(Boolean).map(Number);
}

/** @param {number} pid of a zygote @returns {number | undefined} the child that it has forked ahead */
export function spareOf(pid) {
  return childrenOf(pid).find(
    (child) => readFileSync(`/proc/${child}/comm`, 'utf8') === 'pitv:spare\n',
  );
}

/** Waits until a zygote has forked the next child ahead and closed that one's end of the socket. @param {number} pid */
export const standsStill = (pid) =>
  until(
    () => spareOf(pid) !== undefined && / S \d/.test(readFileSync(`/proc/${pid}/stat`, 'latin1')),
    'the zygote stands still',
  );

/** @param {number} pid @returns {boolean} neither gone nor a zombie */
export function isAlive(pid) {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
