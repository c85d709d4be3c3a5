/** Tests a good game and bad ones, each of which must get the sentence that names its fault. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENGINES } from '../../app/engine/index.js';
import { testGame } from '../../app/game-test/test-game.js';
import { all } from '../support/extent.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { lockMissing } from '../support/lock.js';

const TICKS = 300;

/**
 * Tests a game.
 * @param {string} id @param {string} code @param {Partial<import('../../app/game-test/test-game.js').Plan>} [plan]
 */
async function judge(id, code, plan) {
  const folder = gameFolder({ [`${id}.js`]: code });
  const file = { path: join(folder, `${id}.js`) };
  const fixed = { file, seeds: [1, 2], ticks: TICKS, board: 'pi1' };
  // Some machines cannot lock games, and no machine can lock threads.
  return testGame({ ...fixed, untrusted: 'open', ...plan });
}

/** What the good game does. @param {{steer?: string, setUp?: string, fields?: string}} fault */
const hooks = ({ steer = '', setUp = '', fields = '' }) => `
  border: 'bounce',
  state: () => ({ timer: 1, power: 2 }),
  bots: (humans) => Math.max(0, 2 - humans),
  setUpRound(flow) {
    const { world, options } = flow;
    world.clear();
    for (let i = 0; i < options.balls; i++) {
      world.add({ shape: SHAPE.circle, kind: 0, x: 100 + 90 * i, y: 450, vx: 60, radius: 30 });
    }
    ${setUp}
  },
  steer(flow) {
    const { world, own } = flow;
    for (let slot = 0; slot < flow.slots; slot++) {
      world.vx[slot] += flow.stickX[slot] * 50;
      world.vy[slot] += flow.stickY[slot] * 50;
      flow.score[slot] += flow.tapsA[slot];
    }
    if (++own.timer[0] % 20 === 0) world.vx[4] = world.random() * 100;
    ${steer}
  },
  settle(flow) {
    if (flow.playing && flow.phaseTicks >= 50) flow.endRound(flow.round >= 2);
  },
  ${fields}`;

/** @param {string} id @param {Parameters<typeof hooks>[0] & {top?: string}} [fault] */
const source = (id, { top = '', ...fault } = {}) => gameSource(id, { top, hooks: hooks(fault) });

const GOOD = source('good');

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
  const { output, verdicts } = await judge('good', code, { engines: ['process'] });
  const lines = output.filter((line) => /tick 9: /.test(line));
  assert.equal(output[0], 'import: loaded');
  const written = [1, 2].flatMap((seed) =>
    ['nine', 'lines'].map((line) => `seed ${seed}, tick 9: ${line}`),
  );
  assert.deepEqual(lines, written);
  const deterministic = verdicts.find(({ name }) => name === 'deterministic');
  assert.equal(deterministic?.verdict, 'pass', deterministic?.sentence);
});

/**
 * Bad games by id: what is wrong in them, and the sentences of the failed verdicts by name. short: tried in short runs.
 * @type {Record<string, any>}
 */
const FAULTS = {
  several: {
    short: true,
    top: 'let energy = 0;',
    setUp: 'energy = 0;',
    steer: `if (own.timer[0] === 50) world.kind[3] = 99;
      if (own.timer[0] === 60) setTimeout(() => {});
      if (++energy % 7 === 0) own.power[1]++;`,
    frames: /^At seed 1, tick 50: body 3 of kind 99\. A kind must be an index into view\.kinds\.$/,
    deterministic:
      /^setTimeout\(\) is used at seed 1, tick 60 \(several\.js:\d+\), so .* Do everything within the tick\./,
    checkpoints:
      /^Saved at seed 1, tick \d+, .* tick \d+ differs in flow\.own\.power\[1\]\. .* not saved\.$/,
  },
  random: {
    steer: 'world.vx[0] = Math.random() * 100;',
    deterministic:
      /^Math\.random\(\) is called at seed 1, tick 1 \(random\.js:\d+\).* Use world\.random\(\)\.$/,
  },
  clock: {
    steer: 'own.power[0] = new Date().getTime() % 1000;',
    deterministic:
      /^new Date\(\) is called at seed 1, tick 1 \(clock\.js:\d+\).* Count ticks instead/,
  },
  interval: {
    setUp: 'setInterval(() => {}, 1e6).unref();',
    deterministic: /^setInterval\(\) is used at seed 1, tick 1 \(interval\.js:\d+\)/,
  },
  microtask: {
    steer: 'if (own.timer[0] === 60) queueMicrotask(() => {});',
    deterministic: /^queueMicrotask\(\) is used at seed 1, tick 60 \(microtask\.js:\d+\)/,
  },
  promise: {
    top: 'const think = async () => {};',
    steer: 'if (own.timer[0] === 60) void think();',
    deterministic: /^A promise or an async function is used at seed 1, tick 60 \(promise\.js:\d+\)/,
  },
  unrepeated: {
    top: 'const pid = process.pid;',
    steer: 'own.power[0] = pid;',
    deterministic: /^The state of seed 1, tick 1 is another one .* in a new process\./,
  },
  leaky: {
    top: 'let matches = 0;',
    steer: 'own.power[0] = matches++;',
    deterministic: /^The state of seed 1, tick 1 .* in the same process\. A variable of the module/,
    checkpoints: /^Saved at seed 1, tick \d+, .* tick \d+ differs in flow\.own\.power\[0\]\. /,
  },
  blinking: {
    top: 'let shown = 0;',
    setUp: 'shown = 0;',
    fields: 'fillExtra(_flow, extra) { extra[0] = ++shown; },',
    checkpoints: /has the same state but another frame: fillExtra\(\)/,
  },
  thready: {
    top: "import { isMainThread } from 'node:worker_threads';",
    steer: 'own.power[0] = isMainThread ? 1 : 2;',
    engines: /^The state of seed 1, tick 1 is another one on the engine thread than on process\./,
  },
  sinus: {
    steer: 'world.vy[0] += Math.sin(own.timer[0]);',
    portable: /^Math\.sin\(\) is called at seed 1, tick 1 \(sinus\.js:\d+\); .* Use sin256\(\)/,
  },
  slow: {
    steer: `if (own.timer[0] % 10 === 0) {
      let sum = 0;
      for (let i = 0; i < 3e6; i++) sum += Math.sqrt(i);
      own.power[0] = sum;
    }`,
    time: /^Too slow for a Pi 1: 99 % of the ticks take up to \S+ ms here .* on a Pi 4\. A tick has 16\.7 ms\.$/,
  },
  hoarder: {
    top: 'const all = [];',
    steer: 'all.push(new Array(100).fill(own.timer[0]));',
    memory: /^The heap grows by [\d,]+ KiB in [\d,]+ ticks, [\d,]+ bytes a tick\. Does a variable/,
  },
  thrower: {
    steer: "if (own.timer[0] === 70) throw new RangeError('no luck');",
    plays: /^At seed 1, tick 70: RangeError: no luck \(thrower\.js:\d+\)$/,
  },
  leaver: {
    short: true,
    steer: 'if (own.timer[0] === 70) process.exit(0);',
    plays:
      /seed 1, tick \d+: Its process ended: process\.exit\(0\) was called \(leaver\.js:\d+\)\.$/,
  },
  looper: {
    steer: 'if (own.timer[0] === 70) for (;;);',
    plays:
      /^At seed 1, tick 70: A tick did not return within [\d.]+ s\. Does it loop\? \(looper\.js:\d+\)$/,
  },
  eater: {
    top: 'const all = [];',
    steer: 'for (let i = 0; i < 10; i++) all.push(new Array(10_000).fill(own.timer[0]));',
    memory: /seed 1, tick \d+: It used up its memory\.$/,
  },
};

for (const [id, { short, top, setUp, steer, fields, ...fails }] of Object.entries(FAULTS)) {
  if (!short && !all) continue;
  test(`a bad game fails by the verdict that names its fault: ${id}`, async () => {
    const engines = 'engines' in fails ? undefined : ['process'];
    const code = source(id, { top, setUp, steer, fields });
    const { passed, verdicts } = await judge(id, code, { engines, seeds: [1] });
    assert.equal(passed, false);
    const failed = verdicts.filter(({ verdict }) => verdict === 'fail');
    for (const { name, sentence } of failed) assert.match(sentence, fails[name] ?? /^$/, name);
    const names = failed.map(({ name }) => name);
    assert.deepEqual(names, Object.keys(fails));
  });
}
