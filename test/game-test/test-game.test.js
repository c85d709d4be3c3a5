import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINES } from '../../app/engine/index.js';
import { BAD, GOOD, judge } from './bad-games.js';
import { all } from '../support/extent.js';
import { lockMissing } from '../support/lock.js';

test('a good game passes on every engine', async () => {
  const { id, passed, seeds, verdicts } = await judge('good', GOOD);
  assert.equal(id, 'good');
  assert.deepEqual(seeds, [1, 2]);
  const others = verdicts.filter(({ verdict }) => verdict !== 'pass');
  assert.deepEqual(others, []);
  assert.equal(passed, true);
  const engines = verdicts.find(({ name }) => name === 'engines')?.sentence ?? '';
  for (const name of ENGINES) assert.match(engines, new RegExp(`\\b${name}\\b`));
  const [{ sentence }] = verdicts;
  assert.match(sentence, /^[1-9]\d* players joined and left; [1-9]\d* matches ended\.$/);
});

test('a game runs locked', { skip: lockMissing }, async () => {
  const top = `import { readFileSync } from 'node:fs';
    let got = '';
    try { readFileSync('/etc/passwd'); } catch ({ code }) { got = code; }`;
  const code = GOOD.replace('export default', `${top}\nexport default`).replace(
    'settle(flow) {',
    'settle(flow) { if (flow.own.timer[0] === 40) throw new Error(`got ${got}`);',
  );
  for (const engine of ['process', 'zygote']) {
    const plan = { untrusted: /** @type {const} */ ('locked'), engines: [engine] };
    const { verdicts } = await judge('good', code, plan);
    const [{ sentence, seed, tick }] = verdicts;
    assert.match(sentence, /^At seed 1, tick 40: Error: got (EACCES|ENOENT) \(good\.js:\d+\)$/);
    assert.deepEqual([seed, tick], [1, 40]);
  }
});

test('what a game writes is kept with its seed and tick, of the first run of each seed', async () => {
  const code = GOOD.replace('export default', "console.log('loaded');\nexport default").replace(
    'steer(flow) {',
    "steer(flow) { if (flow.tick === 9) console.log('nine\\nlines');",
  );
  const { output, verdicts } = await judge('good', code, {
    engines: ['process'],
    seeds: [1, 2],
  });
  const lines = output.filter((line) => /tick 9: /.test(line));
  assert.equal(output[0], 'import: loaded');
  assert.deepEqual(lines, [
    'seed 1, tick 9: nine',
    'seed 1, tick 9: lines',
    'seed 2, tick 9: nine',
    'seed 2, tick 9: lines',
  ]);
  const deterministic = verdicts.find(({ name }) => name === 'deterministic');
  assert.equal(deterministic?.verdict, 'pass', deterministic?.sentence);
});

for (const [id, { code, fails, short }] of Object.entries(BAD)) {
  if (!short && !all) continue;
  test(`a bad game fails by the verdict that names its fault: ${id}`, async () => {
    const engines = 'engines' in fails ? undefined : ['process'];
    const { passed, verdicts } = await judge(id, code, { engines, seeds: [1] });
    assert.equal(passed, false);
    const failed = verdicts.filter(({ verdict }) => verdict === 'fail');
    for (const { name, sentence } of failed) assert.match(sentence, fails[name] ?? /^$/, name);
    const names = failed.map(({ name }) => name);
    assert.deepEqual(names, Object.keys(fails));
  });
}
