import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '../../app/web/admin/widgets.js';
import {
  duration,
  matchColumns,
  samplesOf,
  tiles,
  workerColumns,
  workersOf,
} from '../../app/web/admin/view.js';

test('a worker is one row, and an unknown figure is a dash', () => {
  const labels = { worker: '3', game: 'bumper', pid: '99' };
  const figures = { ticks: 600, late_ticks: 2, pss_bytes: 10_485_760, step_seconds: 0.00025 };
  const samples = samplesOf([
    ...Object.entries(figures).map(([name, value]) => {
      return { name: `pitv_worker_${name}`, values: [{ labels, value }] };
    }),
    {
      name: 'pitv_process_unreclaimable_bytes',
      values: [
        { labels: { process: 'main', pid: '9' }, value: 3_145_728 },
        { labels: { process: 'worker', pid: '99' }, value: 2_097_152 },
      ],
    },
  ]);
  const titles = new Map([['bumper', 'Bumper!']]);
  assert.deepEqual(rowsOf(workerColumns(samples, titles), workersOf(samples)), [
    ['3', 'Bumper!', '99', '2.0 MiB', '10.0 MiB', '–', '600', '2', '0.25 ms'],
  ]);
  const memory = tiles({ uptimeS: 1 }, samples).find(([, text]) => /^unreclaimable/.test(text));
  assert.equal(memory?.[0], '5.0 MiB');
  for (const [value] of tiles({ uptimeS: 1 }, [])) assert.doesNotMatch(value, /NaN|undefined/);
});

test('a match is one row', () => {
  const phase = /** @type {const} */ ('play');
  const match = { id: 4, game: 'swarm', phase, players: 2, spectators: 1 };
  const columns = matchColumns(new Map([['swarm', 'The swarm']]));
  const [row] = rowsOf(columns, [{ ...match, ticks: 3900, restarts: 0 }]);
  assert.equal(row.join(), '4,The swarm,playing,2,1,1 min,3900,0');
});

test('durations are formatted briefly', () => {
  const texts = [-1, 59, 60, 3600, 90_000].map(duration);
  assert.equal(texts.join(), '0 s,59 s,1 min,1 h 0 min,1 d 1 h');
});
