import assert from 'node:assert/strict';
import test from 'node:test';
import { defaultSpares } from '../../app/engine/kinds/zygote.js';
import { require } from '../../app/require.js';
import { LatencyMeter } from '../../app/server/measurements.js';
import { Counters } from '../../app/server/metrics.js';
import { createRegistry } from '../../app/server/metrics-registry.js';
import { Usage } from '../../app/system/usage.js';
import { childrenOf } from '../engine/zygote/helpers.js';
import { askAdmin } from '../support/http.js';
import { Client, TV_ENGINES, games, metricsOf, startTv, until } from '../support/tv.js';

test('GET /healthz answers that the TV runs, and GET /metrics in the format of Prometheus or as JSON', async (t) => {
  const tv = await startTv(t, { games });
  const health = await (await fetch(`${tv.url}/healthz`)).json();
  const { name: engine } = tv.engine;
  assert.deepEqual({ ...health, uptimeS: 0 }, { ok: true, uptimeS: 0, engine, matches: 0 });
  const { headers } = await fetch(`${tv.url}/metrics`);
  assert.match(String(headers.get('content-type')), /^text\/plain; version=0\.0\.4/);
  const json = await fetch(`${tv.url}/metrics`, { headers: { accept: 'application/json' } });
  const [{ values }] = (await json.json()).filter(
    (/** @type {any} */ { name }) => name === 'pitv_matches',
  );
  assert.deepEqual(values, [{ value: 0, labels: {} }]);
  const { metrics } = tv.server;
  assert.equal(metrics.sample(), metrics.sample(), 'scrapes within a second share one sample');
});

for (const engine of TV_ENGINES) {
  test(`${engine}: GET /metrics has loop, memory, ticks and clients, and no secret`, async (t) => {
    const tv = await startTv(t, { games, args: ['--engine', engine] });
    const screen = await Client.screen(tv);
    const pad = await Client.pad(tv, { name: 'Ann' });
    await pad.start('faulty');
    pad.input(1, 1);
    await screen.moreFrames(30);
    const metrics = await metricsOf(tv);
    const value = (/** @type {string} */ start) => {
      const [, found] = [...metrics].find(([name]) => name.startsWith(start)) ?? [];
      assert.ok(found !== undefined, `${start} is missing`);
      return found;
    };
    assert.equal(value('pitv_matches'), 1);
    assert.equal(value('pitv_players'), 1);
    assert.equal(value('pitv_clients{role="screen"}'), 1);
    assert.equal(value('pitv_clients{role="pad"}'), 1);
    assert.ok(value('pitv_frames_sent_total') >= 30);
    assert.equal(value('pitv_frames_skipped_total'), 0);
    assert.ok(value('pitv_bytes_sent_total') > 1000 && value('pitv_bytes_received_total') > 50);
    assert.equal(value('pitv_messages_received_total'), 4); // two hellos, a start and an input
    assert.ok(value('pitv_event_loop_delay_seconds{quantile="0.99"}') >= 0);
    assert.ok(value('pitv_input_to_frame_seconds_count') >= 1);
    assert.ok(value('pitv_main_pss_bytes') > 10e6 && value('pitv_main_uss_bytes') > 5e6);
    assert.ok(value('pitv_worker_uss_bytes{') > 1e6);
    assert.ok(value('pitv_worker_pss_bytes{') >= value('pitv_worker_uss_bytes{'));
    assert.ok(value('pitv_worker_ticks{') > 20);
    value('pitv_worker_late_ticks{');
    value('pitv_worker_cpu_percent{');
    value('pitv_main_cpu_percent');
    assert.ok(value('pitv_process_pss_bytes{process="main"') > 10e6);
    assert.ok(value('pitv_process_unreclaimable_bytes{process="main"') > 5e6);
    const pid = /pid="(\d+)"/.exec(
      [...metrics.keys()].find((name) => name.includes('worker_ticks')) ?? '',
    );
    assert.equal(Number(pid?.[1]) === process.pid, engine === 'thread');
    const [text, health] = await Promise.all(
      ['/metrics', '/healthz'].map(async (path) => (await fetch(tv.url + path)).text()),
    );
    for (const secret of [tv.code, tv.admin.token, pad.token, 'Ann']) {
      assert.ok(!text.includes(secret) && !health.includes(secret));
    }
  });
}

/** Lists a process and all below it. @param {number} pid @returns {number[]} */
const treeOf = (pid) => [pid, ...childrenOf(pid).flatMap(treeOf)];

/** @param {import('../../app/system/usage.js').Process[]} processes */
const namesOf = (processes) => processes.map(({ name }) => name).sort();

test('the memory account has the main process, the zygote, its spares and the workers, and no other process', async (t) => {
  const tv = await startTv(t, { games, args: ['--engine', 'zygote'], thorough: true });
  await Promise.all([1, 2].map(() => tv.lobby.start('faulty', { owner: 'test' })));
  const read = () => new Usage({ engine: tv.engine, ksmLevel: () => 'off' }).processes();
  const spares = Array.from({ length: defaultSpares() }, () => 'spare');
  const expected = ['main', ...spares, 'worker', 'worker', 'zygote'];
  const processes = await until(async () => {
    const found = await read();
    return namesOf(found).join() === expected.join() && found;
  }, 'the spares');
  const pids = processes.map((/** @type {{pid: number}} */ { pid }) => pid);
  assert.deepEqual(new Set(pids), new Set(treeOf(process.pid)));
  for (const { name, game, memory } of processes) {
    assert.equal(game, name === 'worker' ? 'faulty' : null);
    assert.ok(memory.unreclaimableKib > 100, name);
    assert.ok(memory.pssKib >= memory.unreclaimableKib, name);
  }
  const metrics = await metricsOf(tv);
  for (const name of new Set(expected)) {
    const found = [...metrics.keys()].filter((key) =>
      key.startsWith(`pitv_process_unreclaimable_bytes{process="${name}"`),
    );
    assert.equal(found.length, expected.filter((one) => one === name).length, name);
  }
});

test('memory is read again after a match has started, and otherwise at most every few seconds', async (t) => {
  const tv = await startTv(t, { games, args: ['--engine', 'process'] });
  const { usage } = tv.services;
  const before = await usage.processes();
  assert.equal(await usage.processes(), before, 'the same reading');
  assert.deepEqual(namesOf(before), ['main']);
  await tv.lobby.start('faulty', { owner: 'test' });
  assert.deepEqual(namesOf(await usage.processes()), ['main', 'worker']);
  assert.equal(await usage.recentProcesses(60_000), await usage.processes());
  assert.equal(usage.recentProcesses(-1), undefined);
});

test('late ticks are counted once', () => {
  const mailbox = { lateTicks: 5 };
  const engine = /** @type {any} */ ({ workers: [{ mailbox }] });
  const usage = new Usage({ engine, ksmLevel: () => 'off' });
  assert.equal(usage.takeLateTicks(), 5);
  assert.equal(usage.takeLateTicks(), 0);
  mailbox.lateTicks = 7;
  assert.equal(usage.takeLateTicks(), 2);
  mailbox.lateTicks = 1; // of the next worker
  assert.equal(usage.takeLateTicks(), 1);
});

test('the admin reads and resets measurements', async (t) => {
  const tv = await startTv(t, { games });
  const { loop, latency } = await until(async () => {
    const read = await (await askAdmin(tv, '/measurements')).json();
    return read.loop.count > 0 && read;
  }, 'the loop to be measured');
  for (const { p50, p99, max } of [loop, latency]) assert.ok(p50 <= p99 && p99 <= max);
  assert.equal((await askAdmin(tv, '/measurements', { method: 'DELETE' })).status, 204);
});

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

test('latencies are counted in the first bucket that is not below them, and in all after it', async () => {
  const state = emptyState();
  for (const [i, ms] of [1, 4, 20, 7000].entries()) {
    state.counters.latency.recordInput(state, 0, i, 0);
    state.counters.latency.recordFrame(state, () => i, true, ms);
  }
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
  const isListed = lines.some((line) => line.startsWith('pitv_process_unreclaimable_bytes{'));
  assert.equal(isListed, false);
});

/** @param {LatencyMeter} meter */
const values = (meter) => {
  const { count, max } = meter.snapshot();
  return [count, Math.round(max)];
};

test('an input is measured at the first sent frame that shows it', () => {
  const match = {};
  const meter = new LatencyMeter();
  meter.recordInput(match, 0, 5, 100);
  meter.recordFrame(match, () => 4, true, 110);
  assert.deepEqual(values(meter), [0, 0]);
  meter.recordFrame(match, () => 5, true, 120);
  meter.recordFrame(match, () => 5, true, 900);
  assert.deepEqual(values(meter), [1, 20]);
  meter.recordInput(match, 0, 6, 900);
  meter.recordFrame(match, () => 6, false, 910);
  meter.recordFrame(match, () => 6, true, 1500);
  assert.deepEqual(values(meter), [1, 20], 'its frame was not sent');
});

test('sequence numbers wrap, slots and matches are separate, and pending inputs are limited', () => {
  const [one, two] = [{}, {}];
  const meter = new LatencyMeter();
  meter.recordInput(one, 0, 0xffffffff, 0);
  meter.recordInput(one, 0, 0, 1);
  meter.recordInput(one, 1, 5, 0);
  meter.recordFrame(two, () => 0, true, 10);
  meter.recordFrame(one, (slot) => 4 * slot, true, 10);
  assert.deepEqual(values(meter), [2, 10], 'both that one frame shows');
  meter.reset();
  for (let i = 1; i <= 10_000; i++) meter.recordInput(two, 0, i, i);
  meter.recordFrame(two, () => 10_000, true, 10_000);
  assert.equal(meter.snapshot().count, 64);
});
