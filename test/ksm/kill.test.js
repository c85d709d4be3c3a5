/**
 * The controller as the service that it is: root, with the machine's real ksmd, beside a program that
 * is somebody else's and knows nothing of it; and what happens when it is killed.
 */
import test from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processFigures } from '../../ksm/processes.js';
import { readSettings } from '../../ksm/sysfs.js';
import { startChild, startController } from './children.js';
import { ksmdMissing, rollup, withKsmd } from './ksmd.js';

const NOBODY = 65534;

/** @param {string} mode */
const goes = (mode) => (/** @type {any} */ entry) =>
  entry.event === 'mode' && entry.message.startsWith(`${mode}:`);

test('a controller that is killed: the next one puts everything back', { skip: ksmdMissing }, () =>
  withKsmd(async () => {
    const found = readSettings();
    const stateDir = mkdtempSync(join(tmpdir(), 'pitv-ksm-'));
    const child = await startChild();
    try {
      await child.ask('advise');
      const killed = startController(stateDir);
      await killed.until(goes('burst'));
      assert.equal(readSettings().run, '1');
      assert.notDeepEqual(readSettings(), found);
      killed.child.kill('SIGKILL');
      await once(killed.child, 'exit');
      assert.equal(readSettings().run, '1', 'nobody has put it back yet');

      const next = startController(stateDir);
      const recovered = await next.until(({ event }) => event === 'recover');
      assert.equal(recovered.figures.restored.run, '0');
      const started = await next.until(({ event }) => event === 'start');
      assert.deepEqual(started.figures.found, found);
      next.child.kill('SIGTERM');
      const [code] = await once(next.child, 'exit');
      assert.equal(code, 0);
      assert.deepEqual(readSettings(), found);
    } finally {
      await child.end();
      rmSync(stateDir, { recursive: true, force: true });
    }
  }),
);

test(
  'two users: root drives ksmd, an ordinary user’s workers merge without knowing of it',
  { skip: ksmdMissing },
  () =>
    withKsmd(async () => {
      const found = readSettings();
      const stateDir = mkdtempSync(join(tmpdir(), 'pitv-ksm-'));
      const workers = [await startChild(undefined, NOBODY), await startChild(undefined, NOBODY)];
      const controller = startController(stateDir);
      try {
        await controller.until(({ event }) => event === 'start');
        for (const worker of workers) await worker.ask('advise');
        const entry = await controller.until(goes('trickle'));
        assert.ok(entry.figures.profitBytes > 4 * 1024 * 1024, JSON.stringify(entry.figures));
        for (const worker of workers) {
          assert.ok((processFigures(worker.pid)?.mergingPages ?? 0) > 1000);
          assert.equal(await worker.ask('damaged'), 0);
        }
        assert.ok(rollup(workers[0].pid, 'KSM') > 4096);
        for (const worker of workers) await worker.end();
        await controller.until(goes('off'));
        controller.child.kill('SIGTERM');
        await once(controller.child, 'exit');
        assert.deepEqual(readSettings(), found);
      } finally {
        for (const worker of workers) await worker.end();
        if (controller.child.exitCode === null) controller.child.kill('SIGTERM');
        rmSync(stateDir, { recursive: true, force: true });
      }
    }),
);
