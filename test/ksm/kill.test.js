/** The controller as root with the real ksmd: it is killed, and it drives ksmd for another user's program. */
import test from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processFigures } from '../../ksm/processes.js';
import { readSettings } from '../../ksm/sysfs.js';
import { startAuto, startChild, startController } from './children.js';
import { NOBODY, nobodyMissing } from '../support/ordinary-user.js';
import { ksmdMissing, rollup, withKsmd } from './ksmd.js';

/** Matches the log entry of a change to a mode. @param {string} mode */
const changeTo = (mode) => (/** @type {any} */ entry) =>
  entry.event === 'mode' && entry.message.startsWith(`${mode}:`);

test(
  'after a controller was killed, the next one restores the settings',
  { skip: ksmdMissing },
  () =>
    withKsmd(async () => {
      const found = readSettings();
      const stateDir = mkdtempSync(join(tmpdir(), 'pitv-ksm-'));
      const child = await startChild();
      try {
        await child.ask('advise');
        const killed = startAuto(stateDir);
        await killed.until(changeTo('burst'));
        assert.equal(readSettings().run, '1');
        assert.notDeepEqual(readSettings(), found);
        killed.child.kill('SIGKILL');
        await once(killed.child, 'exit');
        assert.equal(readSettings().run, '1', 'not restored yet');

        const next = startAuto(stateDir);
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
  'the controller of root merges the pages of another user’s workers',
  { skip: ksmdMissing || nobodyMissing },
  () =>
    withKsmd(async () => {
      const found = readSettings();
      const stateDir = mkdtempSync(join(tmpdir(), 'pitv-ksm-'));
      const workers = await Promise.all([1, 2].map(() => startChild(undefined, NOBODY)));
      const controller = startController(stateDir);
      try {
        await controller.until(({ event }) => event === 'start');
        for (const worker of workers) await worker.ask('advise');
        const entry = await controller.until(
          (each) => changeTo('trickle')(each) && each.figures.mergeable >= workers.length,
        );
        assert.ok(entry.figures.profitBytes > 4 * 1024 * 1024, JSON.stringify(entry.figures));
        for (const worker of workers) {
          assert.ok((processFigures(worker.pid)?.mergingPages ?? 0) > 1000);
          assert.equal(await worker.ask('damaged'), 0);
        }
        assert.ok(rollup(workers[0].pid, 'KSM') > 4096);
        for (const worker of workers) await worker.end();
        await controller.until(
          (each) => changeTo('off')(each) && each.message.endsWith('nothing is marked any more'),
        );
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
