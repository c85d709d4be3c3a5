import test from 'node:test';
import assert from 'node:assert/strict';
import { DEFAULTS, MAX_BURST_MS, Pace, Policy } from '../../ksm/policy.js';

const MIB = 1024 * 1024;
const PAGES_OF_A_MIB = 256;

/** Simulates a machine. turn() advances it by one second and returns the decision. */
function machine() {
  const policy = new Policy();
  const state = {
    atMs: 0,
    fullScans: 0,
    savedMib: 0,
    rmapItems: 20_000,
    profitBytes: /** @type {number | undefined} */ (undefined),
    cpuMs: 0,
    pressure: 0,
    available: 0.5,
    mergeable: 0,
  };
  const turn = (/** @type {Partial<typeof state> & {started?: number}} */ change = {}) => {
    const { started = 0, ...rest } = change;
    Object.assign(state, rest);
    state.atMs += 1000;
    state.mergeable += started;
    const mergedPages = state.savedMib * PAGES_OF_A_MIB;
    const metadataBytes = state.rmapItems * 64;
    return policy.decide({
      ...state,
      ksmdCpuMs: state.cpuMs,
      pagesScanned: undefined,
      started,
      balance: {
        savedBytes: state.savedMib * MIB,
        metadataBytes,
        profitBytes: state.profitBytes ?? state.savedMib * MIB - metadataBytes,
        rmapItems: state.rmapItems,
        mergedPages,
        ratio: mergedPages > 0 ? state.rmapItems / mergedPages : Infinity,
        ratioBound: 64,
      },
    });
  };
  /** Advances by some seconds. @param {number} seconds @param {number} cpuPercent of ksmd */
  const pass = (seconds, cpuPercent) => {
    let decision;
    for (let i = 0; i < seconds; i++) decision = turn({ cpuMs: state.cpuMs + cpuPercent * 10 });
    assert.ok(decision);
    return decision;
  };
  /** Starts a worker, and advances until the burst has ended. */
  const settled = (savedMib = 30) => {
    turn({ started: 1 });
    while (policy.mode === 'burst') turn({ fullScans: state.fullScans + 1, savedMib });
    assert.equal(policy.mode, 'trickle');
  };
  return { policy, state, turn, pass, settled };
}

test('a burst ends after two passes that merge little', () => {
  const { turn } = machine();
  const { mode, changed, reason } = turn({ started: 3 });
  assert.deepEqual([mode, changed, reason], ['burst', true, '3 processes started']);
  for (const fullScans of [1, 2, 3, 4]) {
    assert.equal(turn({ savedMib: 10 * fullScans, fullScans }).mode, 'burst');
  }
  assert.equal(turn({ fullScans: 5 }).mode, 'burst', 'one quiet pass is not enough');
  const decision = turn({ fullScans: 6 });
  assert.equal(decision.mode, 'trickle');
  assert.match(decision.reason, /2 passes merged little/);
});

test('a worker that starts during a burst restarts it', () => {
  const { turn } = machine();
  turn({ started: 1 });
  for (let fullScans = 1; fullScans <= 3; fullScans++) turn({ fullScans, savedMib: fullScans * 5 });
  turn({ fullScans: 4 });
  assert.equal(turn({ fullScans: 5, started: 1 }).mode, 'burst');
  turn({ fullScans: 6 });
  assert.equal(turn({ fullScans: 7 }).mode, 'burst');
  assert.equal(turn({ fullScans: 8 }).mode, 'trickle');
});

test('a burst has a maximum duration', () => {
  const { turn } = machine();
  turn({ started: 1, savedMib: 5 });
  const seconds = MAX_BURST_MS / 1000;
  for (let i = 1; i < seconds; i++) assert.equal(turn().mode, 'burst');
  assert.equal(turn().mode, 'trickle');
});

test('a trickle continues while it pays', () => {
  const { pass, settled, policy } = machine();
  settled(30);
  pass(300, 1);
  assert.equal(policy.mode, 'trickle', '1 % of a core for 30 MiB');
});

test('the mode changes to off after three windows in a row with too much CPU time', () => {
  const { pass, settled, policy } = machine();
  settled(30);
  pass(10, 40);
  pass(10, 1);
  pass(20, 40);
  assert.equal(policy.mode, 'trickle', 'after two windows in a row');
  const decision = pass(10, 40);
  assert.equal(decision.mode, 'off');
  assert.match(decision.reason, /40\.0 % of a core to save 28\.8 MiB/);
  assert.equal(decision.unmerge, false, 'merged pages stay merged');
});

test('the mode changes to off when the metadata costs more than merging saves, and pages are split', () => {
  for (const [change, reason] of /** @type {[object, RegExp][]} */ ([
    [{ profitBytes: -5000 }, /profit is -5000 bytes/],
    [{ savedMib: 1, rmapItems: 65 * PAGES_OF_A_MIB, profitBytes: 1 }, /65 pages are tracked .* 64/],
    [{ savedMib: 0, profitBytes: 0 }, /no page could be merged/],
  ])) {
    const { pass, settled, turn } = machine();
    settled(30);
    turn(change);
    const decision = pass(40, 0);
    assert.equal(decision.mode, 'off');
    assert.match(decision.reason, reason);
    assert.equal(decision.unmerge, true);
  }
});

test('after a burst that merged nothing the mode is off, longer each time, until a worker starts', () => {
  const { turn, pass } = machine();
  /** @param {number} scans */
  const failBurst = (scans) => {
    for (let i = 1; i < 3; i++) turn({ fullScans: scans + i });
    const { mode, unmerge } = turn({ fullScans: scans + 3 });
    assert.deepEqual([mode, unmerge], ['off', true]);
  };
  turn({ started: 1 });
  failBurst(0);
  const hold = DEFAULTS.holdMs / 1000;
  assert.equal(pass(hold - 1, 0).mode, 'off');
  assert.equal(turn().mode, 'burst', 'tries again');
  failBurst(3);
  assert.equal(pass(2 * hold - 1, 0).mode, 'off', 'waits twice as long');
  assert.equal(turn({ started: 1 }).mode, 'burst', 'or until a worker starts');
});

test('a lack of memory starts a burst and allows more CPU time, with hysteresis', () => {
  const { turn, pass, settled, policy } = machine();
  settled(30);
  pass(40, 40);
  assert.equal(policy.mode, 'off');
  assert.equal(turn({ available: 0.12 }).mode, 'off', 'not short yet');
  const short = turn({ available: 0.08 });
  assert.deepEqual([short.mode, short.reason, short.pressed], ['burst', 'memory is short', true]);
  assert.equal(turn({ available: 0.12 }).pressed, true, 'hysteresis');
  for (let i = 0; i < 4; i++) turn({ fullScans: 100 + i });
  pass(60, 40);
  assert.equal(policy.mode, 'trickle', '40 % of a core for 30 MiB pays now');
  assert.equal(turn({ available: 0.2, pressure: 0 }).pressed, false);
  pass(60, 40);
  assert.equal(policy.mode, 'off');
});

test('pressure stall information also indicates a lack of memory', () => {
  const { turn } = machine();
  assert.equal(turn({ pressure: 9 }).pressed, false);
  assert.equal(turn({ pressure: 11 }).pressed, true);
  assert.equal(turn({ pressure: 5 }).pressed, true);
  assert.equal(turn({ pressure: 1 }).pressed, false);
});

test('the mode changes to off and pages are split when the last marked process ends', () => {
  const { turn, settled } = machine();
  settled();
  const decision = turn({ mergeable: 0 });
  assert.deepEqual([decision.mode, decision.unmerge], ['off', true]);
});

test('a burst scans faster than a trickle, and the rate follows the cost of a page', () => {
  const { turn, settled, pass } = machine();
  const burst = turn({ started: 1 }).pace;
  assert.ok(burst);
  settled();
  const trickle = pass(5, 0).pace;
  assert.ok(trickle);
  assert.ok(burst.pagesToScan / burst.sleepMs > 5 * (trickle.pagesToScan / trickle.sleepMs));

  const slow = new Pace();
  for (let i = 0; i < 50; i++) slow.learn(40, 1000); // 40 us a page, as on a small board
  assert.ok(Math.abs(slow.pageMs - 0.04) < 0.001);
  const { pagesToScan, sleepMs } = slow.batchFor({ cpu: 0.25, passMs: 1000, pages: 1e6 });
  const busyMs = pagesToScan * slow.pageMs;
  assert.ok(Math.abs(busyMs / (busyMs + sleepMs) - 0.25) < 0.02, `${pagesToScan}, ${sleepMs} ms`);
});

test('a pass has a minimum duration, and small changes of the rate are ignored', () => {
  const pace = new Pace();
  const first = pace.batchFor({ cpu: 0.5, passMs: 1000, pages: 10_000 });
  assert.ok(first.pagesToScan / first.sleepMs < 12, '10 pages a millisecond');
  assert.equal(pace.batchFor({ cpu: 0.5, passMs: 1000, pages: 11_000 }), first);
  assert.notEqual(pace.batchFor({ cpu: 0.5, passMs: 1000, pages: 20_000 }), first);
});
