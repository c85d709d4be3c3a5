/** Many forks of a zygote at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extent } from '../../support/extent.js';
import { moduleOf, zygoteOf } from './helpers.js';

test('forks go well while heaps are busy: garbage is collected on all sides', async (t) => {
  const zygote = await zygoteOf(
    t,
    moduleOf(`
      let kept = [];
      const churn = () => {
        kept = [];
        for (let i = 0; i < 100_000; i++) kept.push({ i, text: 'x' + i });
      };
      export { churn as warm };
      export default (rounds, worker) => {
        const seen = kept.length;
        for (let i = 0; i < rounds; i++) churn();
        worker.send([seen, kept[99_999].text]);
      };`),
  );
  const rounds = Array.from({ length: extent(12, 60) }, async () => {
    const child = await zygote.fork(5);
    const seen = await new Promise((resolve) => child.once('message', resolve));
    assert.deepEqual(seen, [100_000, 'x99999']);
    assert.equal((await child.exited).code, 0);
  });
  await Promise.all(rounds);
});
