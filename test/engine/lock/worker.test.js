/** Locked workers as workers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspectWorker } from '../../../app/engine/host/inspect-worker.js';
import { NATIVE_FILE, native } from '../../../app/native/native.js';
import { countSizes, engineFor, engineTests, jobUrl, lock, until } from '../helpers.js';
import { probeFeatures } from '../../../ksm/features.js';
import { extent } from '../../support/extent.js';
import { countDescriptors } from '../../support/serve.js';
import { skip } from './helpers.js';

const sizes = countSizes;
/** Starts code in a locked worker. @param {import('../helpers.js').Engine} engine @param {string} source of start() */
const startCode = (engine, source) =>
  engine.start(`data:text/javascript,export default { start() { ${source} } }`, { sizes, lock });

// A process starts slowly, and escape.test.js locks both.
for (const kind of extent(['zygote'], ['zygote', 'process'])) {
  describe(`a locked worker of the ${kind} engine`, { skip }, () => {
    const test = engineTests(kind);

    test('plays, stops with a checkpoint and resumes', async (engine) => {
      const mailbox = engine.createMailbox(sizes);
      const first = await engine.start(jobUrl('count'), { mailbox, lock });
      await until(() => mailbox.tick > 2, 'it ticks');
      assert.equal((await first.stop()).reason, 'stopped');
      const { tick } = mailbox;
      const second = await engine.start(jobUrl('count'), { mailbox, lock });
      await until(() => mailbox.tick > tick, 'it ticks again');
      assert.equal((await second.stop()).reason, 'stopped');
    });

    test('has errors with their message and place', async (engine) => {
      const source = `throw Object.assign(new RangeError('no'), { code: 'OWN' })`;
      await assert.rejects(startCode(engine, source), ({ cause, message }) => {
        assert.match(message, /did not start: no/);
        assert.ok(cause instanceof RangeError);
        assert.match(String(cause.stack), /at Object\.start \(data:/);
        return Reflect.get(cause, 'code') === 'OWN';
      });
    });

    test('does not choose its kind of process by its errors', async (engine) => {
      const source = `throw Object.assign(new Error('argv: ' + process.argv[1]), { code: 'PITV_ZYGOTE_FAILED' })`;
      const entry = kind === 'zygote' ? 'inside/entry' : 'process-entry';
      await assert.rejects(startCode(engine, source), new RegExp(`argv: .*/${entry}\\.js$`));
    });

    const testHanging = engineTests(kind, { hangMs: 100 });
    testHanging('is ended if it does not return at its start', async (engine) => {
      const refused = { code: 'PITV_WORKER_TIMEOUT', message: /does not return/ };
      await assert.rejects(startCode(engine, 'for (;;);'), refused);
    });

    const testGrowing = engineTests(kind, { memoryMb: 32 });
    testGrowing('is ended if it uses too much memory', async (engine) => {
      const source = 'globalThis.kept = []; for (;;) kept.push(Buffer.alloc(1e6, 1));';
      await assert.rejects(startCode(engine, source), { code: 'PITV_WORKER_FAILED' });
    });
  });
}

const testUnspawned = engineTests('process', {
  spawn: (base) => ({
    ...base,
    around() {
      throw new Error('spawn ENOMEM');
    },
  }),
});
testUnspawned(
  'a locked worker that cannot be spawned leaves no descriptor open',
  async (engine, t) => {
    if (skip) return t.skip(skip);
    const { descriptors } = countDescriptors([process.pid]);
    await assert.rejects(engine.start(jobUrl('count'), { sizes, lock }), /ENOMEM/);
    assert.equal(countDescriptors([process.pid]).descriptors, descriptors);
  },
);

const noMarks = skip || (!probeFeatures().madvise && 'needs a kernel with KSM');
const advise = new URL('../../../ksm/advise.js', import.meta.url).href;
const mark = `data:text/javascript,import { keepMarked } from '${advise}'; keepMarked();`;

describe('a locked fork of a zygote that madvise has marked', { skip: noMarks }, () => {
  const test = engineTests('zygote', {
    spawn: ({ execArgv, env, around }) => ({
      execArgv: [...execArgv, '--import', mark],
      env,
      around,
    }),
  });
  test('is not merged by KSM', async (engine) => {
    const marks = async (/** @type {object} */ how) => {
      const worker = await engine.start(jobUrl('count'), { sizes, ...how });
      const smaps = readFileSync(`/proc/${worker.pid}/smaps`, 'latin1');
      return smaps.match(/^VmFlags:.* mg/gm)?.length ?? 0;
    };
    assert.ok((await marks({})) > 10);
    assert.equal(await marks({ lock }), 0);
  });
});

test('a locked worker is not profiled', { skip }, async (t) => {
  const engine = await engineFor(t, 'process', { inspectDir: tmpdir() });
  const worker = await engine?.start(jobUrl('count'), { sizes, lock });
  assert.ok(worker);
  const path = join(tmpdir(), 'pitv-lock-profile');
  const inspection = /** @type {const} */ ({ kind: 'cpu', seconds: 1, path });
  await assert.rejects(inspectWorker(worker, /** @type {any} */ (inspection)), {
    code: 'PITV_INSPECT_UNSUPPORTED',
  });
});

const testThread = engineTests('thread');
testThread('a thread is not locked', async (engine, t) => {
  if (skip) return t.skip(skip);
  const start = engine.start(jobUrl('count'), { sizes, lock });
  await assert.rejects(start, {
    code: 'PITV_LOCK_UNSUPPORTED',
    message: /engine whose workers are processes; this is thread/,
  });
  const bestEffort = { ...lock, bestEffort: true };
  const worker = await engine.start(jobUrl('count'), { sizes, lock: bestEffort });
  assert.equal((await worker.stop()).reason, 'stopped');
});

test('a process with several threads does not lock itself as a fork', { skip }, () => {
  const source = `
    const { beginLock } = require(${JSON.stringify(NATIVE_FILE)});
    try { beginLock([]) } catch ({ errno }) { process.exit(errno) }`;
  assert.equal(spawnSync(process.execPath, ['-e', source]).status, 16); // EBUSY
  assert.equal(native().lockedBeforeMain(), undefined);
});
