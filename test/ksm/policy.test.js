import test from 'node:test';
import assert from 'node:assert/strict';
import { DEFAULTS, Policy } from '../../ksm/policy.js';
import { Pace } from '../../ksm/pace.js';

const MIB = 1024 * 1024;
const PAGES_OF_A_MIB = 256;

/**
 * A machine to decide for: turn() is one second of it, and gives the decision.
 * @param {Partial<import('../../ksm/policy.js').PolicyOptions>} [options]
 */
function machine(options) {
  const policy = new Policy(options);
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
  /** @param {number} seconds @param {number} cpuPercent of ksmd */
  const pass = (seconds, cpuPercent) => {
    let decision;
    for (let i = 0; i < seconds; i++) decision = turn({ cpuMs: state.cpuMs + cpuPercent * 10 });
    assert.ok(decision);
    return decision;
  };
  /** Starts a worker and lets it be merged. */
  const settled = (savedMib = 30) => {
    turn({ started: 1 });
    while (policy.mode === 'burst') turn({ fullScans: state.fullScans + 1, savedMib });
    assert.equal(policy.mode, 'trickle');
  };
  return { policy, state, turn, pass, settled };
}

test('nothing marked: off', () => {
  const { turn } = machine();
  const decision = turn();
  assert.deepEqual([decision.mode, decision.changed, decision.pace], ['off', false, undefined]);
});

test('a burst goes on while passes bring much, and ends after two that bring little', () => {
  const { turn } = machine();
  const came = turn({ started: 3 });
  assert.deepEqual([came.mode, came.changed, came.reason], ['burst', true, '3 processes came']);
  for (const fullScans of [1, 2, 3, 4]) {
    assert.equal(turn({ savedMib: 10 * fullScans, fullScans }).mode, 'burst');
  }
  assert.equal(turn({ fullScans: 5 }).mode, 'burst', 'one quiet pass is not enough');
  const decision = turn({ fullScans: 6 });
  assert.equal(decision.mode, 'trickle');
  assert.match(decision.reason, /2 passes with little new/);
});

test('a worker that starts meanwhile begins the burst anew', () => {
  const { turn } = machine();
  turn({ started: 1 });
  for (let fullScans = 1; fullScans <= 3; fullScans++) turn({ fullScans, savedMib: fullScans * 5 });
  turn({ fullScans: 4 });
  assert.equal(turn({ fullScans: 5, started: 1 }).mode, 'burst');
  turn({ fullScans: 6 });
  assert.equal(turn({ fullScans: 7 }).mode, 'burst');
  assert.equal(turn({ fullScans: 8 }).mode, 'trickle');
});

test('a burst does not go on for ever', () => {
  const { turn } = machine();
  turn({ started: 1, savedMib: 5 });
  const seconds = DEFAULTS.mostBurstMs / 1000;
  for (let i = 1; i < seconds; i++) assert.equal(turn().mode, 'burst');
  assert.equal(turn().mode, 'trickle');
});

test('trickling goes on while it pays', () => {
  const { pass, settled, policy } = machine();
  settled(30);
  pass(300, 1);
  assert.equal(policy.mode, 'trickle', '1 % of a core for 30 MiB');
});

test('off when ksmd takes too much for what it saves, not at the first bad moment', () => {
  const { pass, settled, policy } = machine();
  settled(30);
  pass(10, 40);
  pass(10, 1);
  pass(20, 40);
  assert.equal(policy.mode, 'trickle', 'two windows in a row');
  const decision = pass(10, 40);
  assert.equal(decision.mode, 'off');
  assert.match(decision.reason, /40\.0 % of a core to save 28\.8 MiB/);
  assert.equal(decision.unmerge, false, 'what is merged stays merged');
});

test('off when the metadata takes more than is saved, and the metadata goes too', () => {
  for (const [change, reason] of /** @type {[object, RegExp][]} */ ([
    [{ profitBytes: -5000 }, /profit is -5000 bytes/],
    [{ savedMib: 1, rmapItems: 65 * PAGES_OF_A_MIB, profitBytes: 1 }, /65 pages are tracked .* 64/],
    [{ savedMib: 0, profitBytes: 0 }, /nothing could be merged/],
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

test('a burst that merged nothing ends in off', () => {
  const { turn } = machine();
  turn({ started: 1 });
  for (let fullScans = 1; fullScans < 3; fullScans++) turn({ fullScans });
  const decision = turn({ fullScans: 3 });
  assert.deepEqual([decision.mode, decision.unmerge], ['off', true]);
});

test('off stays off for a while, longer each time, until a worker comes', () => {
  const { turn, pass, policy } = machine();
  /** @param {number} scans */
  const failBurst = (scans) => {
    for (let i = 1; i <= 3; i++) turn({ fullScans: scans + i });
    assert.equal(policy.mode, 'off');
  };
  turn({ started: 1 });
  failBurst(0);
  const hold = DEFAULTS.holdMs / 1000;
  assert.equal(pass(hold - 1, 0).mode, 'off');
  assert.equal(turn().mode, 'burst', 'tries again');
  failBurst(3);
  assert.equal(pass(2 * hold - 1, 0).mode, 'off', 'waits twice as long');
  assert.equal(turn({ started: 1 }).mode, 'burst', 'or until there is something new');
});

test('short memory starts a burst and may cost more; it is over later than it began', () => {
  const { turn, pass, settled, policy } = machine();
  settled(30);
  pass(40, 40);
  assert.equal(policy.mode, 'off');
  assert.equal(turn({ available: 0.12 }).mode, 'off', 'not short yet');
  const short = turn({ available: 0.08 });
  assert.deepEqual([short.mode, short.reason, short.pressed], ['burst', 'memory is short', true]);
  assert.equal(turn({ available: 0.12 }).pressed, true, 'no flapping around one bound');
  for (let i = 0; i < 4; i++) turn({ fullScans: 100 + i });
  pass(60, 40);
  assert.equal(policy.mode, 'trickle', '40 % of a core for 30 MiB is worth it now');
  assert.equal(turn({ available: 0.2, pressure: 0 }).pressed, false);
  pass(60, 40);
  assert.equal(policy.mode, 'off');
});

test('pressure stall information counts as short memory too', () => {
  const { turn } = machine();
  assert.equal(turn({ pressure: 9 }).pressed, false);
  assert.equal(turn({ pressure: 11 }).pressed, true);
  assert.equal(turn({ pressure: 5 }).pressed, true);
  assert.equal(turn({ pressure: 1 }).pressed, false);
});

test('the last marked process ends: off, and its metadata goes', () => {
  const { turn, settled } = machine();
  settled();
  const decision = turn({ mergeable: 0 });
  assert.deepEqual([decision.mode, decision.unmerge], ['off', true]);
});

test('a burst can be asked for', () => {
  const { settled, policy, turn } = machine();
  settled();
  policy.requestBurst('a match begins');
  const decision = turn();
  assert.deepEqual([decision.mode, decision.reason], ['burst', 'a match begins']);
});

test('a burst scans faster than a trickle, and both pace by what a page costs', () => {
  const { turn, settled, pass } = machine();
  const burst = turn({ started: 1 }).pace;
  assert.ok(burst);
  settled();
  const trickle = pass(5, 0).pace;
  assert.ok(trickle);
  assert.ok(burst.pagesToScan / burst.sleepMs > 5 * (trickle.pagesToScan / trickle.sleepMs));

  const dear = new Pace();
  for (let i = 0; i < 50; i++) dear.learn(40, 1000); // 40 us a page, a small board
  assert.ok(Math.abs(dear.pageMs - 0.04) < 0.001);
  const { pagesToScan, sleepMs } = dear.for({ cpu: 0.25, passMs: 1000, pages: 1e6 });
  const busyMs = pagesToScan * dear.pageMs;
  assert.ok(
    Math.abs(busyMs / (busyMs + sleepMs) - 0.25) < 0.02,
    `${pagesToScan} each ${sleepMs} ms`,
  );
});

test('a pass takes its time even where it could be faster, and the pace does not flap', () => {
  const pace = new Pace();
  const first = pace.for({ cpu: 0.5, passMs: 1000, pages: 10_000 });
  assert.ok(first.pagesToScan / first.sleepMs < 12, '10 pages a millisecond');
  assert.equal(pace.for({ cpu: 0.5, passMs: 1000, pages: 11_000 }), first);
  assert.notEqual(pace.for({ cpu: 0.5, passMs: 1000, pages: 20_000 }), first);
});
