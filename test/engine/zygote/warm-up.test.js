/**
 * Warming up the module of a zygote, and the draft: a zygote that forks until the rehearsed one is ready. Runs on every
 * Node.js by nodes.long.test.js.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { temporaryFolder } from '../../support/folders.js';
import { countDescriptors } from '../../support/serve.js';
import { until } from '../helpers.js';
import {
  childrenOf,
  isAlive,
  moduleOf,
  quiet,
  rejects,
  runProgram,
  spareOf,
  untidyZygote,
  zygoteOf,
} from './helpers.js';

const V8_PAGE_BYTES = 256 * 1024;

/** Its warm-up waits for the file `gate`, if there is one. Its children send the kind of their zygote. */
const GATED = moduleOf(`import { existsSync } from 'node:fs';
  let warm;
  export { warmUp as warm };
  async function warmUp({ kind, gate }) {
    warm = kind;
    while (gate && !existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  export default (stay, worker) => {
    worker.send(warm);
    if (stay) worker.on('message', () => process.exit(4));
  };`);

test('createZygote() rejects with the error of the module', async () => {
  /** @type {[string, RegExp][]} */
  const modules = [
    ['file:///nowhere.js', /nowhere/],
    [moduleOf('export function warm() { throw new Error("not today"); }'), /not today/],
    [moduleOf('export function warm() { process.exit(3); }'), /code 3/],
    [
      moduleOf(`import { Worker } from 'node:worker_threads';
        export function warm() { new Worker('setInterval(() => {}, 1000)', { eval: true }).unref(); }`),
      /threads/,
    ],
  ];
  for (const [module, words] of modules) {
    await rejects(createZygote(module, quiet), 'PITV_ZYGOTE_FAILED', words);
  }
});

test('a zygote that cannot be spawned leaves no descriptor open', async () => {
  const { descriptors } = countDescriptors([process.pid]);
  const around = () => {
    throw new Error('spawn ENOMEM');
  };
  await assert.rejects(createZygote(moduleOf(''), { ...quiet, around }), /ENOMEM/);
  assert.equal(countDescriptors([process.pid]).descriptors, descriptors);
});

test('a zygote that cannot be spawned is refused with the reason', async (t) => {
  const flags = ['-'.repeat(1 << 20)]; // too long for the kernel
  await rejects(createZygote(GATED, { ...quiet, flags }), 'PITV_ZYGOTE_FAILED', /E2BIG/);
  const { execPath } = process;
  t.after(() => (process.execPath = execPath));
  process.execPath = '/nowhere/node';
  await rejects(createZygote(GATED, quiet), 'PITV_ZYGOTE_FAILED', /nowhere\/node ENOENT/);
});

test("'ready' lists what the module left open", async (t) => {
  const zygote = await untidyZygote(t);
  const ready = once(zygote, 'ready');
  process.kill(zygote.pid, 'SIGKILL');
  const [{ closed }] = await ready;
  for (const sort of [/timers/, /tcp/, /process/, /descriptors/]) assert.match(closed.join(), sort);
});

test('a zygote has no memory of V8 that its heap does not use, and its heap lies in one place', async (t) => {
  const wasteful = moduleOf(`import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
    export const warm = () => void Array.from({ length: 500_000 }, (_, i) => ({ i }));
    export default (_, worker) => {
      const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
      worker.send([getHeapStatistics().total_heap_size, young.physical_space_size]);
    };`);
  const zygote = await zygoteOf(t, wasteful);
  const [[heapBytes, youngBytes]] = await once(await zygote.fork(), 'message');
  assert.ok(youngBytes < 6 * V8_PAGE_BYTES, `a young generation of ${youngBytes} bytes`);
  const anonymous = mappingsOf(zygote.pid).filter(({ about }) => / rw-p 0+ 00:00 0 *$/.test(about));
  const kib = anonymous.reduce((sum, mapping) => sum + mapping.kib, 0);
  assert.ok(kib * 1024 < 1.25 * heapBytes, `${kib} KiB, a heap of ${heapBytes} bytes`);
  const places = new Set(anonymous.map(({ from }) => Math.floor(from / 2 ** 30)));
  assert.ok(places.size < 5, `page tables for ${places.size} places`); // V8 alone chooses one for each chunk
});

test('what a child allocates lies together, not in holes of the heap that it shares', async (t) => {
  const perforated = moduleOf(`import { readFileSync } from 'node:fs';
    const sizes = Array.from({ length: 4000 }, (_, i) => 16 + (i * 40) % 4000);
    export const warm = () => void (globalThis.kept = sizes.map((size) => new ArrayBuffer(size)).filter((_, i) => i % 2));
    const ownKib = () => Number(/\\[heap\\][^]*?Private_Dirty: +(\\d+)/.exec(readFileSync('/proc/self/smaps'))[1]);
    export default (_, worker) => {
      const before = ownKib();
      const blocks = sizes.slice(0, 400).map((size) => new ArrayBuffer(size / 8));
      worker.send([blocks.reduce((sum, { byteLength }) => sum + byteLength, 0) / 1024, ownKib() - before]);
    };`);
  const zygote = await zygoteOf(t, perforated);
  const [[blocksKib, ownKib]] = await once(await zygote.fork(), 'message');
  assert.ok(ownKib < 3 * blocksKib, `${blocksKib} KiB in pages of ${ownKib} KiB`);
});

/**
 * Lists the mappings of a process (proc(5), smaps).
 * @param {number} pid @returns {{about: string, from: number, kib: number}[]} kib: resident
 */
const mappingsOf = (pid) =>
  readFileSync(`/proc/${pid}/smaps`, 'utf8')
    .split(/^(?=\w+-\w+ )/m)
    .map((lines) => ({
      about: lines.split('\n')[0],
      from: parseInt(lines, 16),
      kib: Number(/^Rss: +(\d+)/m.exec(lines)?.[1]),
    }));

test('a zygote that cannot be warmed up again emits failed, and a later one works', async (t) => {
  const file = join(temporaryFolder(), 'file');
  const module = moduleOf(`import { readFileSync } from 'node:fs';
    export function warm(file) { if (readFileSync(file, 'utf8') !== 'good') throw new Error('no'); }
    export default () => {};`);
  writeFileSync(file, 'good');
  const zygote = await zygoteOf(t, module, { ...quiet, args: file });
  writeFileSync(file, 'bad');
  const failed = once(zygote, 'failed');
  process.kill(zygote.pid, 'SIGKILL');
  await failed;
  await rejects(zygote.fork(), 'PITV_ZYGOTE_FAILED', /no/);
  assert.equal(zygote.pid, 0);
  const ready = once(zygote, 'ready');
  writeFileSync(file, 'good');
  await ready;
  assert.equal((await (await zygote.fork()).exited).code, 0);
});

test('a draft forks until the real zygote is ready, then exits; its children continue', async (t) => {
  const gate = join(temporaryFolder(), 'gate');
  const zygote = await zygoteOf(t, GATED, {
    ...quiet,
    args: { kind: 'real', gate },
    draft: { kind: 'draft' },
  });
  const draft = zygote.pid;
  const early = await zygote.fork(true);
  assert.deepEqual(await once(early, 'message'), ['draft']);
  await until(() => spareOf(draft), 'a spare is forked');
  const spare = Number(spareOf(draft));
  writeFileSync(gate, '');
  await zygote.ready({ thorough: true });
  assert.notEqual(zygote.pid, draft);
  const late = await zygote.fork(false);
  assert.deepEqual(await once(late, 'message'), ['real']);
  await until(() => !isAlive(draft) && !isAlive(spare), 'the draft and its spare are gone');
  assert.ok(isAlive(early.pid));
  early.send('end');
  const { code, orphaned } = await early.exited;
  assert.deepEqual([code, orphaned], [4, true]);
});

test('a late draft does not replace the real zygote', async (t) => {
  const folder = temporaryFolder({ draft: '' });
  const gates = { draft: join(folder, 'draft'), real: join(folder, 'real') };
  const others = childrenOf(process.pid);
  const zygote = await zygoteOf(t, GATED, {
    ...quiet,
    args: { kind: 'real', gate: gates.real },
    draft: { kind: 'draft', gate: gates.draft },
  });
  rmSync(gates.draft);
  const died = once(zygote, 'died');
  process.kill(zygote.pid, 'SIGKILL');
  await died; // another draft and the real zygote are being warmed up
  const ready = once(zygote, 'ready');
  writeFileSync(gates.real, '');
  const [{ pid, draft }] = await ready;
  assert.equal(draft, false);
  writeFileSync(gates.draft, '');
  const left = () => childrenOf(process.pid).filter((child) => !others.includes(child));
  await until(() => left().length === 1, 'the late draft is gone');
  assert.deepEqual([zygote.pid, left()], [pid, [pid]]);
  const child = await zygote.fork();
  assert.deepEqual(await once(child, 'message'), ['real']);
});

test('a child that waits for a zygote can be killed, and close() does not wait for the zygote', async (t) => {
  const gate = join(temporaryFolder({ gate: '' }), 'gate');
  const zygote = await zygoteOf(t, GATED, { ...quiet, args: { kind: 'real', gate } });
  rmSync(gate);
  const died = once(zygote, 'died');
  process.kill(zygote.pid, 'SIGKILL');
  await died; // the next one waits for the gate
  const [killed, left] = [zygote.begin(), zygote.begin()];
  const refusals = [killed, left].map(({ started }) => rejects(started, 'PITV_ZYGOTE_CHILD'));
  killed.kill();
  await until(() => killed.exit, 'it has ended');
  await zygote.close();
  assert.equal(left.exit?.signal, 'SIGKILL');
  await Promise.all(refusals);
});

test('no zygote is started after close()', async (t) => {
  const zygote = await zygoteOf(t, GATED, {
    ...quiet,
    args: { kind: 'real' },
    draft: { kind: 'draft' },
  });
  await zygote.ready({ thorough: true });
  const others = childrenOf(process.pid).filter((pid) => pid !== zygote.pid);
  const died = once(zygote, 'died');
  process.kill(zygote.pid, 'SIGKILL');
  await died;
  const draft = Number(childrenOf(process.pid).find((pid) => !others.includes(pid)));
  while (existsSync(`/proc/${draft}/fd/5`)); // until it has said that it is ready, which is not read before close()
  await zygote.close();
  assert.deepEqual(childrenOf(process.pid), others);
});

test('ready({thorough: true}) keeps the main process alive until the real zygote is ready', () => {
  const said = runProgram(`
    const zygote = await createZygote('data:text/javascript,export default () => {}', { draft: 1, args: 2 });
    await zygote.ready({ thorough: true });
    console.log('ready');`);
  assert.equal(said, 'ready\n');
});
