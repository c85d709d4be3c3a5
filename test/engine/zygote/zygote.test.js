/** What the main process can rely on. Run on every Node by nodes.test.js. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { until } from '../helpers.js';
import { ask, isAlive, moduleUrl, probe, spareOf, standsStill, untidyZygote } from './helpers.js';

/** @param {string} source */
const moduleOf = (source) => `data:text/javascript,${encodeURIComponent(source)}`;
/** @type {import('../../../app/engine/zygote/index.js').ZygoteOptions} */
const quiet = { stdio: ['ignore', 'ignore', 'ignore'] };

/** @param {Promise<unknown>} promise @param {string} code @param {RegExp} [words] */
const rejects = (promise, code, words = /./) =>
  assert.rejects(promise, (error) => {
    assert.equal(Reflect.get(Object(error), 'code'), code);
    assert.match(Reflect.get(Object(error), 'message'), words);
    return true;
  });

/** Of this process; zombies count, too. @returns {number[]} */
const children = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1')
    .split(' ')
    .filter(Boolean)
    .map(Number);

/** @param {number} pid */
const parentOf = (pid) => Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)]));

test('arguments and messages of any shape and size go both ways, in order', async (t) => {
  const zygote = await untidyZygote(t);
  const value = {
    map: new Map([[1, new Set(['a'])]]),
    date: new Date(0),
    bytes: new Uint8Array(3_000_000).fill(7),
    none: undefined,
  };
  const room = { maxMessageBytes: 8_000_000 };
  assert.deepEqual(await ask(zygote, 'echo', value, room), value);
  const { messages } = await probe(zygote, 'many', 1000);
  assert.deepEqual(
    messages,
    Array.from({ length: 1000 }, (_, i) => i),
  );

  const child = await zygote.fork({ probe: 'talk' }, room);
  const back = once(child, 'message');
  child.send(value);
  assert.deepEqual(await back, [value]);
  assert.throws(() => child.send(() => {}), /could not be cloned/);
  child.send('end');
  assert.equal((await child.exited).code, 0, 'it ends when it listens to nobody any more');
  assert.equal(child.send('late'), false);

  const other = await zygote.fork({ probe: 'talk' });
  other.disconnect();
  assert.equal((await other.exited).code, 0, 'it sees that the conversation is over');
  await assert.rejects(
    zygote.fork(() => {}),
    /could not be cloned/,
  );
});

test('what a module does wrong is told when the zygote is made', async () => {
  await rejects(createZygote('file:///nowhere.js', quiet), 'PITV_ZYGOTE_FAILED', /nowhere/);
  const throws = moduleOf('export function warm() { throw new Error("not today"); }');
  await rejects(createZygote(throws, quiet), 'PITV_ZYGOTE_FAILED', /not today/);
  const exits = moduleOf('export function warm() { process.exit(3); }');
  await rejects(createZygote(exits, quiet), 'PITV_ZYGOTE_FAILED', /code 3/);
  const threads = moduleOf(`import { Worker } from 'node:worker_threads';
    export function warm() { new Worker('setInterval(() => {}, 1000)', { eval: true }).unref(); }`);
  await rejects(createZygote(threads, quiet), 'PITV_ZYGOTE_FAILED', /threads/);
});

test('what a module left open is told', async (t) => {
  const zygote = await untidyZygote(t);
  const ready = once(zygote, 'ready');
  process.kill(zygote.pid, 'SIGKILL');
  const [{ closed }] = await ready;
  assert.match(closed.join(), /timers/);
  assert.match(closed.join(), /tcp/);
  assert.match(closed.join(), /process/);
  assert.match(closed.join(), /descriptors/);
});

test('a child that can not be set up as asked is refused, and the zygote goes on', async (t) => {
  const zygote = await untidyZygote(t);
  await rejects(
    zygote.fork({ probe: 'identity' }, { cpus: [63] }),
    'PITV_ZYGOTE_CHILD',
    /sched_setaffinity: EINVAL/,
  );
  assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
});

test('a fork that the system refuses is an error with its reason, and the zygote is as it was', async (t) => {
  const zygote = await untidyZygote(t);
  await ask(zygote, 'identity');
  await standsStill(zygote.pid);
  const before = readdirSync(`/proc/${zygote.pid}/fd`).length;
  const limit = (/** @type {string} */ limits) =>
    execFileSync('prlimit', ['--pid', String(zygote.pid), `--nofile=${limits}`]);
  limit(`${before - 3}:4096`); // no room for the descriptors that come with a request
  await rejects(zygote.fork({ probe: 'identity' }), 'PITV_ZYGOTE_FORK', /EMFILE/);
  limit('4096:4096');
  assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
  await standsStill(zygote.pid);
  assert.equal(readdirSync(`/proc/${zygote.pid}/fd`).length, before);
});

test('the module can be warmed up once more, also in the zygotes to come', async (t) => {
  const counter = moduleOf(`let warm = [];
    export { warmUp as warm };
    function warmUp(args) {
      if (args === 'bad') throw new Error('bad');
      warm.push(args);
    }
    export default (_, worker) => worker.send(warm);`);
  const zygote = await createZygote(counter, { ...quiet, args: 'first' });
  t.after(() => zygote.close());
  const seen = async () => {
    const child = await zygote.fork();
    return (await once(child, 'message'))[0];
  };
  assert.deepEqual(await seen(), ['first']);
  await zygote.warm('second');
  assert.deepEqual(await seen(), ['first', 'second']);
  await rejects(zygote.warm('bad'), 'PITV_ZYGOTE_FAILED', /bad/);
  assert.deepEqual(await seen(), ['first', 'second']);
});

test('when the zygote dies its children go on, and another one forks', async (t) => {
  const zygote = await untidyZygote(t);
  const talking = await zygote.fork({ probe: 'talk' });
  const staying = await zygote.fork({ probe: 'stay' });
  const old = zygote.pid;
  const died = once(zygote, 'died');
  process.kill(old, 'SIGKILL');
  const started = await Promise.all(Array.from({ length: 5 }, () => ask(zygote, 'identity')));
  assert.equal((await died)[0].signal, 'SIGKILL');
  assert.notEqual(zygote.pid, old);
  for (const { ppid } of started) assert.ok(ppid === old || ppid === zygote.pid);

  const answer = once(talking, 'message');
  talking.send('still there?');
  assert.deepEqual(await answer, ['still there?']);
  assert.notEqual(parentOf(talking.pid), old);
  talking.send('end');
  const ended = await talking.exited;
  assert.deepEqual([ended.code, ended.orphaned], [0, true], 'it said so itself');
  staying.kill('SIGKILL');
  const killed = await staying.exited;
  assert.deepEqual([killed.signal, killed.orphaned], ['SIGKILL', true]);
});

test('zygotes that die again and again are replaced after pauses that grow', async (t) => {
  const zygote = await untidyZygote(t);
  /** Kills the zygote and waits for the next one. @returns {Promise<number>} ms from one to the other */
  const die = async (/** @type {boolean} */ pause) => {
    const died = once(zygote, 'died');
    const ready = once(zygote, 'ready');
    process.kill(zygote.pid, 'SIGKILL');
    await died;
    const since = performance.now();
    if (pause)
      await rejects(zygote.fork(), 'PITV_ZYGOTE_FAILED', /died soon after they were ready/);
    const [{ warmMs }] = await ready;
    return performance.now() - since - warmMs;
  };
  await die(false);
  const pauses = [await die(true), await die(true), await die(true)];
  for (const [i, ms] of pauses.entries()) assert.ok(ms > 240 * 2 ** i, `pause ${i}: ${ms} ms`);
  assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
});

test('a zygote that stands still is replaced', { timeout: 60_000 }, async (t) => {
  const zygote = await untidyZygote(t);
  const old = zygote.pid;
  process.kill(old, 'SIGSTOP');
  const { ppid } = await ask(zygote, 'identity');
  assert.notEqual(ppid, old);
  assert.equal(ppid, zygote.pid);
});

test('a zygote that can not be warmed up again says so, and a later one works', async (t) => {
  const file = join(tmpdir(), `pitv-warm-${process.pid}`);
  const module = moduleOf(`import { readFileSync } from 'node:fs';
    export function warm(file) { if (readFileSync(file, 'utf8') !== 'good') throw new Error('no'); }
    export default () => {};`);
  writeFileSync(file, 'good');
  const zygote = await createZygote(module, { ...quiet, args: file });
  const alive = setInterval(() => {}, 1000);
  t.after(() => {
    clearInterval(alive);
    rmSync(file);
    return zygote.close();
  });
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

test('a child can be killed before it runs', async (t) => {
  const zygote = await untidyZygote(t);
  const child = zygote.begin({ probe: 'stay' });
  assert.equal(child.kill(), true);
  await rejects(child.started, 'PITV_ZYGOTE_CHILD', /SIGKILL/);
  assert.equal((await child.exited).signal, 'SIGKILL');
  assert.equal(child.kill(), false);
});

test('close() ends what runs, spins or starts, and can be called twice', async (t) => {
  const zygote = await untidyZygote(t);
  const children = await Promise.all(
    ['stay', 'spin', 'talk'].map((name) => zygote.fork({ probe: name })),
  );
  const late = zygote.begin({ probe: 'stay' });
  late.started.catch(() => {});
  const { pid } = zygote;
  await Promise.all([zygote.close(), zygote.close()]);
  for (const child of [...children, late]) assert.equal(child.exit?.signal, 'SIGKILL');
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
  await rejects(zygote.fork(), 'PITV_ZYGOTE_CLOSED');
});

test('descriptors can be passed on', async (t) => {
  const module = moduleOf(`import { fstatSync } from 'node:fs';
    export default (_, worker) => worker.send(worker.descriptors.map((fd) => fstatSync(fd).ino));`);
  const zygote = await createZygote(module, quiet);
  t.after(() => zygote.close());
  const files = ['/proc/self/status', moduleUrl('untidy')].map((file) => openSync(file, 'r'));
  const child = await zygote.fork(null, { descriptors: files });
  const [inodes] = await once(child, 'message');
  assert.deepEqual(
    inodes,
    files.map((fd) => fstatSync(fd).ino),
  );
  for (const fd of files) closeSync(fd);
});

test('the main process can end by itself while a zygote is there', async () => {
  const source = `import { createZygote } from '${new URL('../../../app/engine/zygote/index.js', import.meta.url)}';
    const zygote = await createZygote('data:text/javascript,export default () => {}');
    console.log((await (await zygote.fork()).exited).code, zygote.pid);`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  const [code, pid] = out.trim().split(' ').map(Number);
  assert.equal(code, 0);
  await until(() => !isAlive(pid), 'the zygote is gone');
});

test('a program that only waits for the real one lives to see it', () => {
  const source = `import { createZygote } from '${new URL('../../../app/engine/zygote/index.js', import.meta.url)}';
    const module = 'data:text/javascript,export default () => {}';
    const zygote = await createZygote(module, { draft: 1, args: 2 });
    await zygote.ready({ thorough: true });
    console.log('ready');`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.equal(out, 'ready\n');
});

test('a draft forks until the real one is ready, and then leaves its children to themselves', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-draft-'));
  const gate = join(folder, 'gate');
  const module = moduleOf(`import { existsSync } from 'node:fs';
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
  const zygote = await createZygote(module, {
    ...quiet,
    args: { kind: 'real', gate },
    draft: { kind: 'draft' },
  });
  t.after(async () => {
    await zygote.close();
    rmSync(folder, { recursive: true });
  });
  const draft = zygote.pid;
  const early = await zygote.fork(true);
  assert.deepEqual(await once(early, 'message'), ['draft']);
  await until(() => spareOf(draft), 'the next child is forked ahead');
  const spare = Number(spareOf(draft));
  writeFileSync(gate, '');
  await zygote.ready({ thorough: true });
  assert.notEqual(zygote.pid, draft);
  const late = await zygote.fork(false);
  assert.deepEqual(await once(late, 'message'), ['real']);
  await until(() => !isAlive(draft) && !isAlive(spare), 'the draft is gone, and its spare child');
  assert.ok(isAlive(early.pid));
  early.send('end');
  const { code, orphaned } = await early.exited;
  assert.deepEqual([code, orphaned], [4, true]);
});

test('a draft that comes late does not take the place of the real one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-draft-'));
  const module = moduleOf(`import { existsSync } from 'node:fs';
    let warm;
    export { warmUp as warm };
    async function warmUp({ kind, gate }) {
      warm = kind;
      while (!existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    export default (_, worker) => worker.send(warm);`);
  const gates = { draft: join(folder, 'draft'), real: join(folder, 'real') };
  writeFileSync(gates.draft, '');
  const others = children();
  const zygote = await createZygote(module, {
    ...quiet,
    args: { kind: 'real', gate: gates.real },
    draft: { kind: 'draft', gate: gates.draft },
  });
  t.after(async () => {
    await zygote.close();
    rmSync(folder, { recursive: true });
  });
  rmSync(gates.draft);
  const died = once(zygote, 'died');
  process.kill(zygote.pid, 'SIGKILL');
  await died; // another draft is being warmed up, and so is the real one
  const ready = once(zygote, 'ready');
  writeFileSync(gates.real, '');
  const [{ pid, draft }] = await ready;
  assert.equal(draft, false);
  writeFileSync(gates.draft, '');
  const left = () => children().filter((child) => !others.includes(child));
  await until(() => left().length === 1, 'the late draft is gone');
  assert.deepEqual([zygote.pid, left()], [pid, [pid]]);
  const child = await zygote.fork();
  assert.deepEqual(await once(child, 'message'), ['real']);
});
