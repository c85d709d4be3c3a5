import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Supervisor } from '../../../app/engine/host/supervisor.js';
import { STATE } from '../../../app/engine/mailbox/mailbox.js';
import { until } from '../helpers.js';

const LIMITS = { hangMs: 50, memoryMb: 1 << 20 };
/** As many looks as take a worker that hangs several times over. */
const LOOKS = 50;

/**
 * A worker that never ticks, and whose thread is doing what the test says.
 * @param {import('node:test').TestContext} t
 * @param {(look: number) => {state: string, cpuMs: number} | undefined} activity
 */
function standingStill(t, activity) {
  const seen = { looks: 0, ended: '' };
  const worker = /** @type {any} */ ({
    running: true,
    pid: process.pid,
    mailbox: { tick: 7, state: STATE.running, memoryKib: 0 },
    end(/** @type {string} */ reason) {
      worker.running = false;
      seen.ended = reason;
    },
  });
  const supervisor = new Supervisor(new Set([worker]), LIMITS, true, {
    activity: () => activity(++seen.looks),
  });
  t.after(() => supervisor.close());
  return seen;
}

test('a worker that gets no core, or waits for a disk, is not taken for hung', async (t) => {
  for (const state of ['R', 'D']) {
    const seen = standingStill(t, () => ({ state, cpuMs: 10 }));
    await until(() => seen.looks >= LOOKS, `${state} was looked at`);
    assert.equal(seen.ended, '');
  }
});

test('a worker that gets a tenth of a core hangs when it has used up what it may', async (t) => {
  const seen = standingStill(t, (look) => ({ state: 'R', cpuMs: look / 2 }));
  await until(() => seen.ended, 'it is ended');
  assert.equal(seen.ended, 'hung');
  assert.ok(seen.looks > 50, `after ${seen.looks} looks`);
});

test('a worker that spins, sleeps or is halted hangs, and one that cannot be looked at as well', async (t) => {
  /** @type {((look: number) => {state: string, cpuMs: number} | undefined)[]} */
  const activities = [
    (look) => ({ state: 'R', cpuMs: look * 1000 }),
    () => ({ state: 'S', cpuMs: 0 }),
    () => ({ state: 'T', cpuMs: 0 }),
    () => undefined,
  ];
  for (const activity of activities) {
    const seen = standingStill(t, activity);
    await until(() => seen.ended, 'it is ended');
    assert.equal(seen.ended, 'hung');
  }
});
