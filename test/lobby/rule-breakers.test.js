/** Games of others that break a rule while they are played: each costs its own match, and nobody else anything. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { HEADER, STATE } from '../../app/engine/mailbox/layout.js';
import { sourceOf } from '../fuzz/support/package-source.js';
import { all } from '../support/extent.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { lockMissing } from '../support/lock.js';
import { Client, startTv, until } from '../support/tv.js';

/** @typedef {Parameters<typeof sourceOf>[1]} Actions */

/** Changes frames before they are published, not checkpoints. @param {string} change of `bytes` @returns {Actions} */
const frames = (change) => [
  { at: 'frame', text: `edit = (bytes, length) => { ${change} return length };` },
  { at: 'checkpoint', text: 'edit = (bytes, length) => length;' },
];
/** Does something at each tick. @param {string} text @returns {Actions} */
const ticks = (text) => [{ at: 'tick', text }];
const { state, tick } = HEADER;

/** By name: what a game does, and how the problem of its match begins. @type {Record<string, [Actions, RegExp]>} */
const BREAKERS = {
  version: [frames('bytes[0] = 2;'), /A frame is wrong: it is no frame/],
  short: [frames('length = 3;'), /A frame is wrong: it is no frame/],
  length: [frames('length -= 1;'), /A frame is wrong: it has \d+ bytes/],
  bodies: [frames('bytes[9] = 255;'), /A frame is wrong: it has \d+ bytes/],
  players: [frames('bytes[10] = 9;'), /A frame is wrong: it has 9 records/],
  phase: [frames('bytes[12] = 77;'), /A frame is wrong: there is no phase 77/],
  kind: [frames('bytes[length - 4] = 7;'), /A frame is wrong: there is no kind 7/],
  owner: [frames('bytes[length - 3] = 9;'), /A frame is wrong: there is no slot 9/],
  fast: [ticks(`if (memory) memory[${tick}] += 1000;`), /does not follow the clock/],
  backwards: [ticks(`if (memory) memory[${tick}] -= 9;`), /not follow the clock/],
  counting: [ticks(`while (memory) { spin(17); memory[${tick}]++; }`), /a tick does not return/],
  over: [
    ticks(`if (memory) memory[${state}] = ${STATE.stopped}; while (memory) memory[${tick}]++;`),
    /does not follow the clock|its worker ended/,
  ],
  talking: [ticks(`send(6, Buffer.from('x'), 500);`), /more than it may/],
  long: [
    ticks('send(6, Buffer.alloc(60_000, 97), 20);'),
    /reports more than it may|a tick does not return/, // a pipe of its own is full,
  ],
  dribbling: [
    ticks('each((fd) => { for (let i = 0; i < 5000; i++) fs.writeSync(fd, Buffer.from([1])) });'),
    /reports more than it may|cannot be read|a tick does not return/,
  ],
  cloning: [ticks('send(0, serialize(new Map()), 1);'), /only reports are/],
  unknown: [ticks('send(99, Buffer.alloc(1), 1);'), /there is no kind 99/],
};

/** Those that `make test` tries: one for each kind of check. */
const FEW = ['length', 'kind', 'fast', 'counting', 'talking', 'cloning'];

const title = 'a game that breaks a rule loses its match, and the TV and its neighbour go on';
test(title, { skip: lockMissing }, async (t) => {
  const breakers = Object.entries(BREAKERS).filter(([id]) => all || FEW.includes(id));
  const sources = breakers.map(([id, [actions]]) => [`${id}.js`, sourceOf(id, actions)]);
  const gamesDir = gameFolder({
    'good.js': gameSource('good'),
    ...Object.fromEntries(sources),
  });
  const limits = { emptyMs: Infinity }; // on a busy machine, the others take longer than a match without players lasts
  const tv = await startTv(t, { gamesDir, limits, args: ['--engine', 'zygote'] });
  const neighbour = (await tv.lobby.start('good', { owner: 'test' })).match;
  await until(() => neighbour.ticks > 3, 'the neighbour runs');
  for (const [id, [, problem]] of breakers) {
    const { match } = await tv.lobby.start(id, { owner: 'test' });
    const screen = await Client.screen(tv, { differences: true });
    screen.send({ t: 'watch', match: match.id });
    if (!match.end) await once(match, 'ended');
    assert.equal(match.end?.reason, 'failed', id);
    assert.match(String(match.problem), problem, id);
    assert.equal(screen.closed, undefined);
    screen.socket.close();
  }
  const { ticks } = neighbour;
  await until(() => neighbour.ticks > ticks + 10, 'the neighbour goes on');
  assert.equal(neighbour.restarts, 0);
});
