import assert from 'node:assert/strict';
import test from 'node:test';
import { loadScenario } from '../../../bench/harness/scenarios.js';

test('loop: busy matches have a control without workers, for each number of matches', async () => {
  const { configurations } = await loadScenario('loop');
  const all = configurations({ quick: true, engines: ['zygote'], workers: [0, 2, 8] });
  assert.deepEqual(
    all.map(({ variant, engine, n }) => [variant, engine, n]),
    [
      ['bumper', 'zygote', 0],
      ...[2, 8].flatMap((n) => [
        ['bumper', 'zygote', n],
        ['busy', 'zygote', n],
        ['busy, main thread', undefined, n],
      ]),
    ],
  );
});
