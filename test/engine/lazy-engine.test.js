import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createTv } from '../../app/create-tv.js';
import { createEngine } from '../../app/engine/index.js';
import { lazyEngine } from '../../app/engine/host/engine.js';
import { parseSettings } from '../../app/config/parse.js';
import { silentLog } from '../../app/log.js';
import { extent } from '../support/extent.js';
import { temporaryFolder, until } from '../support/tv.js';

/** Turns of the event loop between two moments of a start. */
const STEP = extent(15, 1);

/** An engine that somebody has opened is open after this time. */
const UNTOUCHED_MS = 2000;

/** @param {string} folder of the data */
const argsOf = (folder) => [
  ...'--port 0 --host 127.0.0.1 --max-matches 2 --data-dir'.split(' '),
  folder,
];

/**
 * Makes a TV, which is stopped after the test.
 * @param {import('node:test').TestContext} t @param {string} folder @param {string[]} args
 */
async function makeTv(t, folder, ...args) {
  const settings = parseSettings([...argsOf(folder), ...args], {});
  const tv = await createTv(settings, silentLog, { lazy: true });
  t.after(() => tv.stop());
  return tv;
}

test('on one core, a TV opens its engine for the first match', async () => {
  const [core] =
    /(?<=^Cpus_allowed_list:\s*)\d+/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const app = new URL('../../app', import.meta.url).href;
  const program = `
    const [{ createTv }, { parseSettings }, { silentLog }] = await Promise.all(
      ['create-tv', 'config/parse', 'log'].map((name) => import('${app}/' + name + '.js')),
    );
    const tv = await createTv(parseSettings(process.argv.slice(1), {}), silentLog, { lazy: true });
    await tv.start();
    const { status } = await fetch(tv.url);
    await new Promise((resolve) => setTimeout(resolve, ${UNTOUCHED_MS}));
    const before = [tv.engine.name, tv.engine.workers, await tv.engine.stats()];
    await tv.lobby.start('collide', { options: { bodies: 10 }, owner: 'me' });
    console.log(JSON.stringify({ status, before, name: tv.engine.name }));
    await tv.stop();`;
  const node = [process.execPath, '--input-type=module', '-e', program, '--'];
  const args = [...node, ...argsOf(temporaryFolder())];
  const output = execFileSync('taskset', ['-c', String(core), ...args], { encoding: 'utf8' });
  const { status, before, name } = JSON.parse(output);
  assert.equal(status, 200);
  assert.deepEqual(before, ['auto', [], []]);
  assert.notEqual(name, 'auto');
});

test('open() and start() reject when the engine cannot be opened; close() resolves', async () => {
  const refused = new Error('not here');
  const engine = lazyEngine('zygote', () => Promise.reject(refused));
  await assert.rejects(engine.open(), refused);
  await assert.rejects(engine.start('file:///x.js', /** @type {any} */ ({})), refused);
  await engine.close();
});

test('an engine is not opened by name, stats() or close(), and never after close()', async () => {
  const engine = lazyEngine('auto', () => assert.fail('opened'));
  assert.equal(engine.name, 'auto');
  assert.deepEqual(await engine.stats(), []);
  await engine.close();
  await assert.rejects(engine.start('file:///x.js'), { code: 'PITV_ENGINE_CLOSED' });
});

test('an opened engine has the name, the limits and the memory of the one that it becomes', async (t) => {
  const engine = lazyEngine('auto', () => createEngine('thread', { maxWorkers: 3 }));
  t.after(() => engine.close());
  const sizes = { inputSlots: 1, frameBytes: 16, checkpointBytes: 16 };
  assert.throws(() => engine.createMailbox(sizes), TypeError);
  await engine.open();
  assert.deepEqual([engine.name, engine.limits.maxWorkers], ['thread', 3]);
  engine.freeMailbox(engine.createMailbox(sizes));
});

test('a saved match survives a TV that stops at any moment of its start', async (t) => {
  const folder = temporaryFolder();
  const first = await makeTv(t, folder, '--engine', 'thread');
  await first.start();
  const { match } = await first.lobby.start('collide', { options: { bodies: 10 }, owner: 'me' });
  await first.stop();
  for (let turns = 0; turns < 40; turns += STEP) {
    const tv = await makeTv(t, folder, '--engine', 'thread');
    const started = tv.start();
    started.catch(() => {});
    await until(() => tv.port > 0, 'it listens');
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
    await tv.stop();
  }
  const last = await makeTv(t, folder, '--engine', 'thread');
  await last.start();
  const ids = last.lobby.matches.map(({ id }) => id);
  assert.deepEqual(ids, [match.id]);
});
