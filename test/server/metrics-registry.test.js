import assert from 'node:assert/strict';
import test from 'node:test';
import { require } from '../../app/require.js';
import { Counters } from '../../app/server/counters.js';
import { createRegistry } from '../../app/server/metrics-registry.js';
import { startTv } from '../support/tv.js';

/** @returns {import('../../app/server/metrics-registry.js').State} of a TV that has done nothing */
const emptyState = () => ({
  counters: new Counters(),
  counts: { matches: 0, players: 0, screens: 0, pads: 0, wrongCodes: 0 },
  loopDelay: { count: 0, p50: 0, p99: 0, max: 0 },
  sample: { main: { pssKib: 1, ussKib: 1, rssKib: 1, cpu: 0 }, workers: [], processes: [] },
});
/** @param {import('../../app/server/metrics-registry.js').State} state @returns {Promise<string[]>} lines */
const linesOf = async (state) =>
  (await createRegistry(require('prom-client'), state).metrics()).split('\n');

test('the library of metrics is loaded at the first scrape', async (t) => {
  const tv = await startTv(t);
  const isLoaded = () => Object.keys(require.cache).some((path) => path.includes('/prom-client/'));
  assert.equal(isLoaded(), false);
  const response = await fetch(`${tv.url}/metrics`);
  assert.match(String(response.headers.get('content-type')), /^text\/plain; version=0\.0\.4/);
  await response.text();
  assert.equal(isLoaded(), true);
});

test('latencies are counted in the first bucket that is not below them, and in all after it', async () => {
  const state = emptyState();
  for (const seconds of [0.001, 0.004, 0.02, 7]) state.counters.latency.add(seconds);
  const lines = await linesOf(state);
  const name = 'pitv_input_to_frame_seconds';
  assert.ok(lines.includes(`# TYPE ${name} histogram`));
  const counts = ['0.004', '0.008', '0.025', '1', '+Inf'].map((le) => {
    const line = lines.find((each) => each.startsWith(`${name}_bucket{le="${le}"} `));
    return Number(line?.split(' ')[1]);
  });
  assert.deepEqual(counts, [2, 2, 3, 3, 4]);
  assert.ok(lines.includes(`${name}_sum 7.025`));
  assert.ok(lines.includes(`${name}_count 4`));
});

test('counts have labels, labels are escaped, and unknown memory has no line', async () => {
  const state = emptyState();
  state.counters.dropped('refused');
  state.counters.dropped('refused');
  state.counters.restarts.add('hung');
  const memory = /** @type {any} */ ({ unreclaimableKib: NaN, pssKib: 2 });
  state.sample.processes = [{ name: 'worker', pid: 7, game: 'a"b\nc', command: 'node', memory }];
  const lines = await linesOf(state);
  assert.ok(lines.includes('pitv_messages_dropped_total{kind="refused"} 2'));
  assert.ok(lines.includes('pitv_restarts_total{reason="hung"} 1'));
  assert.ok(
    lines.includes('pitv_process_pss_bytes{process="worker",name="a\\"b\\nc",pid="7"} 2048'),
  );
  assert.equal(
    lines.some((line) => line.startsWith('pitv_process_unreclaimable_bytes{')),
    false,
  );
});
