/** Starting children, messages and descriptors, closing. Runs on every Node.js by nodes.long.test.js. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { groupOf, sessionOf } from '../../support/serve.js';
import { until } from '../helpers.js';
import {
  ask,
  isAlive,
  moduleOf,
  moduleUrl,
  probe,
  rejects,
  runProgram,
  sharedZygote,
  standsStill,
  untidyZygote,
  zygoteOf,
} from './helpers.js';

describe('a zygote', () => {
  const shared = sharedZygote();

  test('arguments and messages of any shape and size go both ways, in order', async () => {
    const { zygote } = shared;
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
    assert.equal((await child.exited).code, 0, 'it ends when it has no listener left');
    assert.equal(child.send('late'), false);

    const other = await zygote.fork({ probe: 'talk' });
    other.disconnect();
    assert.equal((await other.exited).code, 0, 'it notices the disconnect');
    await assert.rejects(
      zygote.fork(() => {}),
      /could not be cloned/,
    );
  });

  test('a child that cannot be set up as requested is refused; the zygote continues', async () => {
    const { zygote } = shared;
    await rejects(
      zygote.fork({ probe: 'identity' }, { cpus: [63] }),
      'PITV_ZYGOTE_CHILD',
      /sched_setaffinity: EINVAL/,
    );
    assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
  });
});

test('a fork that the system refuses fails with the reason; the zygote is unchanged', async (t) => {
  const zygote = await untidyZygote(t, { spares: 0 });
  const files = () => readdirSync(`/proc/${zygote.pid}/fd`);
  const limit = (/** @type {string} */ limits) =>
    execFileSync('prlimit', ['--pid', String(zygote.pid), `--nofile=${limits}`]);
  await ask(zygote, 'identity');
  await standsStill(zygote.pid);
  const before = files();
  limit('3:4096'); // none is left for the child's channel
  await rejects(zygote.fork({ probe: 'identity' }), 'PITV_ZYGOTE_FORK', /EMFILE/);
  limit('4096:4096');
  assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
  await standsStill(zygote.pid);
  assert.deepEqual(files(), before);

  const child = zygote.begin({ probe: 'stay' });
  assert.equal(child.kill(), true, 'a child can be killed before it runs');
  await rejects(child.started, 'PITV_ZYGOTE_CHILD', /SIGKILL/);
  assert.equal((await child.exited).signal, 'SIGKILL');
  assert.equal(child.kill(), false);
});

test('descriptors can be passed to a child', async (t) => {
  const module = moduleOf(`import { fstatSync } from 'node:fs';
    export default (_, worker) => worker.send(worker.descriptors.map((fd) => fstatSync(fd).ino));`);
  const zygote = await zygoteOf(t, module);
  const files = ['/proc/self/status', moduleUrl('untidy')].map((file) => openSync(file, 'r'));
  const child = await zygote.fork(null, { descriptors: files });
  const [inodes] = await once(child, 'message');
  assert.deepEqual(
    inodes,
    files.map((fd) => fstatSync(fd).ino),
  );
  for (const fd of files) closeSync(fd);
});

test('close() ends running, spinning and starting children, and can be called twice', async (t) => {
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

for (const ownSession of [true, false]) {
  test(`a zygote leads a process group, with a session of its own: ${ownSession}`, async (t) => {
    const zygote = await untidyZygote(t, { ownSession });
    const child = await zygote.fork({ probe: 'stay' });
    for (const { pid } of [zygote, child]) {
      assert.equal(groupOf(pid), zygote.pid);
      assert.equal(sessionOf(pid), ownSession ? zygote.pid : sessionOf(process.pid));
    }
  });
}

test('a zygote does not keep the main process alive', async () => {
  const said = runProgram(`
    const zygote = await createZygote('data:text/javascript,export default () => {}');
    console.log((await (await zygote.fork()).exited).code, zygote.pid);`);
  const [code, pid] = said.trim().split(' ').map(Number);
  assert.equal(code, 0);
  await until(() => !isAlive(pid), 'the zygote is gone');
});
