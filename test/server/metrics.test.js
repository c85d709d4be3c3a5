import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGINES } from '../../app/engine/index.js';
import { Client, faultyGame, metricsOf, startTv } from '../support/tv.js';

const games = [faultyGame];

test('GET /healthz says that the TV is well', async (t) => {
  const tv = await startTv(t, { games });
  const health = await (await fetch(`${tv.url}/healthz`)).json();
  assert.deepEqual(
    { ...health, uptimeS: 0 },
    { ok: true, uptimeS: 0, engine: tv.engine.name, matches: 0 },
  );
});

for (const engine of ENGINES) {
  test(`${engine}: GET /metrics tells of loop, memory, ticks and clients, and nothing secret`, async (t) => {
    const tv = await startTv(t, { games, args: ['--engine', engine] });
    const screen = await Client.screen(tv);
    const pad = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code, name: 'Ann' });
    const { token } = await pad.next('welcome');
    pad.send({ t: 'start', game: 'faulty' });
    await pad.next('match');
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
    assert.ok(value('pitv_event_loop_delay_seconds{quantile="0.99"}') >= 0);
    assert.ok(value('pitv_input_to_frame_seconds_count') >= 1);
    assert.ok(value('pitv_main_pss_bytes') > 10e6 && value('pitv_main_uss_bytes') > 5e6);
    assert.ok(value('pitv_worker_pss_bytes{') > 5e6 && value('pitv_worker_uss_bytes{') > 1e6);
    assert.ok(value('pitv_worker_ticks{') > 20);
    value('pitv_worker_late_ticks{');
    value('pitv_worker_cpu_percent{');
    value('pitv_main_cpu_percent');
    const pid = /pid="(\d+)"/.exec(
      [...metrics.keys()].find((name) => name.includes('worker_ticks')) ?? '',
    );
    assert.equal(Number(pid?.[1]) === process.pid, engine === 'thread');
    const [text, health] = await Promise.all(
      ['/metrics', '/healthz'].map(async (path) => (await fetch(tv.url + path)).text()),
    );
    for (const secret of [tv.code, tv.admin.token, token, 'Ann']) {
      assert.ok(!text.includes(secret) && !health.includes(secret));
    }
  });
}

test('scrapes within a second share one look at the processes', async (t) => {
  const tv = await startTv(t, { games });
  const [first, second] = await Promise.all([
    tv.server.metrics.sample(),
    tv.server.metrics.sample(),
  ]);
  assert.equal(first, second);
});

test('measurements are for the admin, and begin anew when asked to', async (t) => {
  const tv = await startTv(t, { games });
  const url = `${tv.url}/api/measurements`;
  assert.equal((await fetch(url)).status, 401);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 401);
  const headers = { authorization: `Bearer ${tv.admin.token}` };
  const { loop, latency } = await (await fetch(url, { headers })).json();
  for (const { count, p50, p99, max } of [loop, latency]) {
    assert.ok(count >= 0 && p50 <= p99 && p99 <= max);
  }
  assert.equal((await fetch(url, { method: 'DELETE', headers })).status, 204);
});
