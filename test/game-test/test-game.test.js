import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINES } from '../../app/engine/index.js';
import { missingForLock } from '../../app/engine/lock-support.js';
import { BAD, GOOD } from './bad-games.js';
import { checkBadGame, judge } from './verdicts.js';

test('a good game passes on every engine', async (t) => {
  const { id, passed, seeds, verdicts } = await judge(t, 'good', GOOD);
  assert.equal(id, 'good');
  assert.deepEqual(seeds, [1, 2]);
  const others = verdicts.filter(({ verdict }) => verdict !== 'pass');
  assert.deepEqual(others, []);
  assert.equal(passed, true);
  const engines = verdicts.find(({ name }) => name === 'engines')?.sentence ?? '';
  for (const name of ENGINES) assert.match(engines, new RegExp(`\\b${name}\\b`));
  assert.match(
    verdicts[0].sentence,
    /^[1-9]\d* players joined and left; [1-9]\d* matches ended\.$/,
  );
});

const missing = missingForLock();
test(
  'a game runs locked',
  { skip: missing ? `this machine lacks ${missing}` : false },
  async (t) => {
    const top = `import { readFileSync } from 'node:fs';
    let got = '';
    try { readFileSync('/etc/passwd'); } catch ({ code }) { got = code; }`;
    const code = GOOD.replace('export default', `${top}\nexport default`).replace(
      'settle(flow) {',
      'settle(flow) { if (flow.own.timer[0] === 40) throw new Error(`got ${got}`);',
    );
    for (const engine of ['process', 'zygote']) {
      const plan = { untrusted: /** @type {const} */ ('locked'), engines: [engine] };
      const { verdicts } = await judge(t, 'good', code, plan);
      assert.match(
        verdicts[0].sentence,
        /^At seed 1, tick 40: Error: got EACCES \(good\.js:\d+\)$/,
      );
      assert.deepEqual([verdicts[0].seed, verdicts[0].tick], [1, 40]);
    }
  },
);

for (const [id, { short }] of Object.entries(BAD)) {
  if (short)
    test(`a bad game fails by the verdict that names its fault: ${id}`, (t) => checkBadGame(t, id));
}
