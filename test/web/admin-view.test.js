import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gauge, Registry } from 'prom-client';
import { rowsOf } from '../../app/web/admin/widgets.js';
import {
  duration,
  matchColumns,
  parseMetrics,
  tiles,
  total,
  workerColumns,
  workersOf,
} from '../../app/web/admin/view.js';

test('the output of prom-client is parsed', async () => {
  const registry = new Registry();
  const gauge = new Gauge({
    name: 'pitv_x',
    help: 'odd "help" {text} 3',
    labelNames: ['game', 'pid'],
    registers: [registry],
  });
  const odd = 'a"b\\c\nd,e="f"}';
  gauge.set({ game: odd, pid: '7' }, 1.5e-7);
  gauge.set({ game: 'swarm', pid: '8' }, Infinity);
  const samples = parseMetrics(await registry.metrics());
  assert.deepEqual(samples, [
    { name: 'pitv_x', labels: { game: odd, pid: '7' }, value: 1.5e-7 },
    { name: 'pitv_x', labels: { game: 'swarm', pid: '8' }, value: Infinity },
  ]);
  assert.equal(total(samples, 'pitv_x', { pid: '7' }), 1.5e-7);
  assert.ok(Number.isNaN(total(samples, 'pitv_y')));
});

test('a worker is one row, and an unknown figure is a dash', () => {
  const labels = 'worker="3",game="bumper",pid="99"';
  const samples = parseMetrics(
    `pitv_worker_ticks{${labels}} 600\npitv_worker_late_ticks{${labels}} 2\n` +
      `pitv_worker_pss_bytes{${labels}} 1.048576e+07\npitv_worker_step_seconds{${labels}} 0.00025\n` +
      'pitv_process_unreclaimable_bytes{process="main",name="node",pid="9"} 3.145728e+06\n' +
      'pitv_process_unreclaimable_bytes{process="worker",name="bumper",pid="99"} 2.097152e+06\n',
  );
  const titles = new Map([['bumper', 'Bumper!']]);
  assert.deepEqual(rowsOf(workerColumns(samples, titles), workersOf(samples)), [
    ['3', 'Bumper!', '99', '2.0 MiB', '10.0 MiB', '–', '600', '2', '0.25 ms'],
  ]);
  const memory = tiles({ uptimeS: 1 }, samples).find(([, text]) => /^unreclaimable/.test(text));
  assert.equal(memory?.[0], '5.0 MiB');
  for (const [value] of tiles({ uptimeS: 1 }, [])) assert.doesNotMatch(value, /NaN|undefined/);
});

test('a match is one row', () => {
  const match = { id: 4, game: 'swarm', phase: 'play', players: 2, spectators: 1 };
  const columns = matchColumns(new Map([['swarm', 'The swarm']]));
  const [row] = rowsOf(columns, [{ ...match, ticks: 3900, restarts: 0 }]);
  assert.equal(row.join(), '4,The swarm,play,2,1,1 min,3900,0');
});

test('durations are formatted briefly', () => {
  const texts = [-1, 59, 60, 3600, 90_000].map(duration);
  assert.equal(texts.join(), '0 s,59 s,1 min,1 h 0 min,1 d 1 h');
});
