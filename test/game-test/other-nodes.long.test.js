import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GOOD, judge } from './bad-games.js';

const PLAN = { engines: ['process'], seeds: [1] };

/** @param {import('../../app/game-test/verdicts.js').Verdict[]} verdicts */
const ofNodes = (verdicts) => verdicts.find(({ name }) => name === 'nodes');

test('a good game plays the same with another Node.js', async (t) => {
  const nodes = [[process.execPath]];
  const { passed, verdicts } = await judge(t, 'good', GOOD, { ...PLAN, nodes });
  assert.equal(passed, true);
  const { sentence = '' } = ofNodes(verdicts) ?? {};
  assert.match(sentence, /^Every tick is the same with Node\.js v\d+\.\d+\.\d+ \w+\.$/);
});

test('a game that differs with another Node.js fails', async (t) => {
  const code = GOOD.replace(
    'settle(flow) {',
    `settle(flow) { if (flow.own.timer[0] === 40 && process.title === 'other') flow.own.timer[0]--;`,
  );
  const nodes = [[process.execPath], [process.execPath, '--title=other']];
  const { passed, verdicts } = await judge(t, 'good', code, { ...PLAN, nodes });
  assert.equal(passed, false);
  assert.match(
    ofNodes(verdicts)?.sentence ?? '',
    /^The state of seed 1, tick \d+ is another one with Node\.js v[\d.]+ \w+ than here\.$/,
  );
});

test('without other versions there is no verdict on them', async (t) => {
  const { verdicts } = await judge(t, 'good', GOOD, PLAN);
  assert.equal(ofNodes(verdicts), undefined);
});

test('a command that does not start, or a game that ends it, is an error', async (t) => {
  const missing = judge(t, 'good', GOOD, { ...PLAN, nodes: [['/missing/node']] });
  await assert.rejects(missing, {
    code: 'PITV_USAGE',
    message: /"\/missing\/node" cannot be started/,
  });
  const code = GOOD.replace(
    'export default',
    `if (process.title === 'other') process.exit(3);\nexport default`,
  );
  const nodes = [[process.execPath, '--title=other']];
  await assert.rejects(judge(t, 'good', code, { ...PLAN, nodes }), {
    code: 'PITV_GAME_INVALID',
    message: /it ended with 3$/,
  });
});
