/** Locked workers as workers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspectWorker } from '../../../app/engine/host/inspect-worker.js';
import { native } from '../../../app/native/native.js';
import { countSizes, engineFor, jobUrl, until } from '../helpers.js';
import { probeFeatures } from '../../../ksm/features.js';
import { skip } from './helpers.js';

const lock = { readable: [fileURLToPath(new URL('../jobs', import.meta.url))] };

for (const kind of ['zygote', 'process']) {
  test(
    `${kind}: a locked worker plays, stops with a checkpoint and resumes`,
    { skip },
    async (t) => {
      const engine = await engineFor(t, kind);
      if (!engine) return;
      const mailbox = engine.createMailbox(countSizes);
      const first = await engine.start(jobUrl('count'), { mailbox, lock });
      await until(() => mailbox.tick > 2, 'it ticks');
      assert.equal((await first.stop()).reason, 'stopped');
      const { tick } = mailbox;
      const second = await engine.start(jobUrl('count'), { mailbox, lock });
      await until(() => mailbox.tick > tick, 'it ticks again');
      assert.equal((await second.stop()).reason, 'stopped');
    },
  );

  test(`${kind}: the error of a locked worker keeps its message and place`, { skip }, async (t) => {
    const engine = await engineFor(t, kind);
    const source = `export default { start() { throw Object.assign(new RangeError('no'), { code: 'OWN' }) } }`;
    const start = engine?.start(`data:text/javascript,${source}`, { sizes: countSizes, lock });
    await assert.rejects(
      async () => start,
      ({ cause, message }) => {
        assert.match(message, /did not start: no/);
        assert.ok(cause instanceof RangeError);
        assert.match(String(cause.stack), /at Object\.start \(data:/);
        return Reflect.get(cause, 'code') === 'OWN';
      },
    );
  });

  test(
    `${kind}: a locked worker that does not return at its start is ended`,
    { skip },
    async (t) => {
      const engine = await engineFor(t, kind, { hangMs: 100 });
      const source = `export default { start() { for (;;); } }`;
      const start = engine?.start(`data:text/javascript,${source}`, { sizes: countSizes, lock });
      await assert.rejects(async () => start, {
        code: 'PITV_WORKER_TIMEOUT',
        message: /does not return/,
      });
    },
  );

  test(`${kind}: a locked worker that uses too much memory is ended`, { skip }, async (t) => {
    const engine = await engineFor(t, kind, { memoryMb: 32 });
    const source = `export default { start() { globalThis.kept = []; for (;;) kept.push(Buffer.alloc(1e6, 1)) } }`;
    const start = engine?.start(`data:text/javascript,${source}`, { sizes: countSizes, lock });
    await assert.rejects(async () => start, { code: 'PITV_WORKER_FAILED' });
  });
}

const noMarks = skip || (!probeFeatures().madvise && 'needs a kernel with KSM');

test(
  'KSM does not merge a locked fork of a zygote that madvise has marked',
  { skip: noMarks },
  async (t) => {
    const advise = new URL('../../../ksm/advise.js', import.meta.url).href;
    const mark = `data:text/javascript,import { keepMarked } from '${advise}'; keepMarked();`;
    const engine = await engineFor(t, 'zygote', {
      spawn: ({ execArgv, env, around }) => ({
        execArgv: [...execArgv, '--import', mark],
        env,
        around,
      }),
    });
    const marks = async (/** @type {object} */ how) => {
      const worker = await engine?.start(jobUrl('count'), { sizes: countSizes, ...how });
      const smaps = readFileSync(`/proc/${worker?.pid}/smaps`, 'latin1');
      return smaps.match(/^VmFlags:.* mg/gm)?.length ?? 0;
    };
    assert.ok((await marks({})) > 10);
    assert.equal(await marks({ lock }), 0);
  },
);

test('a locked worker is not profiled', { skip }, async (t) => {
  const engine = await engineFor(t, 'process', { inspectDir: tmpdir() });
  const worker = await engine?.start(jobUrl('count'), { sizes: countSizes, lock });
  assert.ok(worker);
  const path = join(tmpdir(), 'pitv-lock-profile');
  const inspection = /** @type {const} */ ({ kind: 'cpu', seconds: 1, path });
  await assert.rejects(inspectWorker(worker, /** @type {any} */ (inspection)), {
    code: 'PITV_INSPECT_UNSUPPORTED',
  });
});

test('a thread is not locked', { skip }, async (t) => {
  const engine = await engineFor(t, 'thread');
  const start = engine?.start(jobUrl('count'), { sizes: countSizes, lock });
  await assert.rejects(async () => start, { code: 'PITV_LOCK_UNSUPPORTED' });
  const bestEffort = { ...lock, bestEffort: true };
  const worker = await engine?.start(jobUrl('count'), { sizes: countSizes, lock: bestEffort });
  assert.equal((await worker?.stop())?.reason, 'stopped');
});

test('the options of a lock are checked', async (t) => {
  const engine = await engineFor(t, 'thread');
  for (const wrong of [{ readable: ['a\nb'] }, { readable: '/' }, { paths: [] }]) {
    const start = engine?.start(jobUrl('count'), {
      sizes: countSizes,
      lock: /** @type {any} */ (wrong),
    });
    await assert.rejects(async () => start, { code: 'PITV_OPTION_INVALID' });
  }
});

test('a process with several threads does not lock itself as a fork', { skip }, () => {
  const source = `
    const { beginLock } = require(${JSON.stringify(fileURLToPath(new URL('../../../build', import.meta.url)))} + '/' + process.arch + '/pitv.node');
    try { beginLock([]) } catch ({ errno }) { process.exit(errno) }`;
  assert.equal(spawnSync(process.execPath, ['-e', source]).status, 16); // EBUSY
  assert.equal(native().lockedBeforeMain(), undefined);
});
