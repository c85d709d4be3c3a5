import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Supervisor } from '../../../app/engine/host/supervisor.js';
import { STATE } from '../../../app/engine/mailbox/mailbox.js';
import { until } from '../helpers.js';

const LIMITS = { hangMs: 50, memoryMb: 1 << 20 };
/** Several times the polls after which a worker counts as hung. */
const POLLS = 50;

/**
 * Supervises a worker that never ticks.
 * @param {import('node:test').TestContext} t
 * @param {(poll: number, worker: any) => {state: string, cpuMs: number} | undefined} activity of its thread
 * @param {object} [parts] of the worker
 * @param {{memoryMb?: number, measure?: (pid: number) => Promise<any>}} [memory] of the worker
 */
function superviseIdle(t, activity, parts, { memoryMb = LIMITS.memoryMb, measure } = {}) {
  const seen = { polls: 0, ended: '' };
  const worker = /** @type {any} */ ({
    running: true,
    pid: process.pid,
    threadId: 0,
    tickHz: 1000,
    mailbox: {
      tick: 7,
      state: STATE.running,
      memoryKib: 0,
      sizes: { frameBytes: 64 },
      frameSequence: 3,
    },
    terminate(/** @type {string} */ reason) {
      worker.running = false;
      seen.ended = reason;
    },
    ...parts,
  });
  const supervisor = new Supervisor(
    new Set([worker]),
    { ...LIMITS, memoryMb },
    {
      activity: () => activity(++seen.polls, worker),
      measure,
    },
  );
  t.after(() => supervisor.close());
  return seen;
}

test('a worker that waits for a core or a disk does not count as hung', async (t) => {
  for (const state of ['R', 'D']) {
    const seen = superviseIdle(t, () => ({ state, cpuMs: 10 }));
    await until(() => seen.polls >= POLLS, `${state} was polled`);
    assert.equal(seen.ended, '');
  }
});

test('a worker with little CPU time counts as hung when it has used hangMs of it', async (t) => {
  const seen = superviseIdle(t, (poll) => ({ state: 'R', cpuMs: poll / 2 }));
  await until(() => seen.ended, 'it is ended');
  assert.equal(seen.ended, 'hung');
  assert.ok(seen.polls > POLLS, `after ${seen.polls} polls`);
});

test('a worker that spins, sleeps, is stopped or cannot be observed counts as hung', async (t) => {
  /** @type {((poll: number) => {state: string, cpuMs: number} | undefined)[]} */
  const activities = [
    (poll) => ({ state: 'R', cpuMs: poll * 1000 }),
    () => ({ state: 'S', cpuMs: 0 }),
    () => ({ state: 'T', cpuMs: 0 }),
    () => undefined,
  ];
  for (const activity of activities) {
    const seen = superviseIdle(t, activity);
    await until(() => seen.ended, 'it is ended');
    assert.equal(seen.ended, 'hung');
  }
});

test('a worker with few ticks does not count as hung between them', async (t) => {
  const seen = superviseIdle(t, () => ({ state: 'S', cpuMs: 0 }), { tickHz: 1 });
  await until(() => seen.polls >= POLLS, 'it was polled');
  assert.equal(seen.ended, '');
  await until(() => seen.ended, 'it is ended');
  assert.equal(seen.ended, 'hung');
});

test('the time that a locked worker took to start does not count as time of its first tick', async (t) => {
  const starting = 20;
  const seen = superviseIdle(
    t,
    (poll, worker) => {
      if (poll === starting) Object.assign(worker, { starting: false, running: true });
      return poll < starting ? undefined : { state: 'R', cpuMs: 10 };
    },
    { locked: true, starting: true, running: false, tickHz: 60 },
  );
  await until(() => seen.polls >= starting + POLLS || seen.ended, 'it was polled');
  assert.equal(seen.ended, '');
});

test('polls do not wait for the memory of a worker near its limit, which is measured once at a time', async (t) => {
  /** @type {((memory: {ussKib: number}) => void)[]} */
  const measured = [];
  const measure = () => new Promise((resolve) => void measured.push(resolve));
  const busy = { state: 'R', cpuMs: 10 };
  const seen = superviseIdle(t, () => busy, {}, { memoryMb: 1, measure });
  await until(() => seen.polls >= POLLS, 'it was polled');
  assert.equal(measured.length, 1);
  measured[0]({ ussKib: 1024 });
  await until(() => measured.length === 2, 'it is measured again');
  assert.equal(seen.ended, '');
  measured[1]({ ussKib: 1025 });
  await until(() => seen.ended, 'it is ended');
  assert.equal(seen.ended, 'out-of-memory');
});
