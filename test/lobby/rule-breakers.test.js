/** Games of others that break a rule while they are played: each costs its own match, and nobody else anything. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { all } from '../support/extent.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { lockMissing } from '../support/lock.js';
import { Client, startTv, until } from '../support/tv.js';

/** Captures the header of the mailbox, which the worker writes to by Atomics; word 7 is the tick counter. */
const CAPTURE = `
  const { store } = Atomics;
  let header;
  Atomics.store = (words, at, value) => {
    if (words.length === 32) header = words;
    return store(words, at, value);
  };`;
/** Writes to every descriptor what the channel would carry: a length, a kind, a body. */
const SEND = `
  import { writeSync } from 'node:fs';
  import { serialize } from 'node:v8';
  function send(kind, body, times) {
    const bytes = Buffer.concat([Buffer.alloc(5), body]);
    bytes.writeUInt32LE(1 + body.length);
    bytes[4] = kind;
    for (let fd = 3; fd < 64; fd++) {
      try { for (let i = 0; i < times; i++) writeSync(fd, bytes) } catch {}
    }
  }`;

/** A game whose frames are changed before they are published. @param {string} id @param {string} change of `bytes` */
const withFrames = (id, change) =>
  gameSource(id).replace('export default defineGame(', 'const game = defineGame(') +
  `
  export default {
    ...game,
    start(options) {
      const job = game.start(options);
      const { writeFrame } = job;
      job.writeFrame = (bytes) => {
        let length = writeFrame.call(job, bytes);
        ${change}
        return length;
      };
      return job;
    },
  };`;
/** A game that does something at each tick. @param {string} id @param {string} top @param {string} tick */
const withTicks = (id, top, tick) => gameSource(id, { top, fields: `settle() { ${tick} },` });

/** By name: the source of a game, and how the problem of its match begins. @type {Record<string, [string, RegExp]>} */
const BREAKERS = {
  version: [withFrames('version', 'bytes[0] = 2;'), /A frame is wrong: it is no frame/],
  short: [withFrames('short', 'length = 3;'), /A frame is wrong: it is no frame/],
  length: [withFrames('length', 'length -= 1;'), /A frame is wrong: it has \d+ bytes/],
  bodies: [withFrames('bodies', 'bytes[9] = 255;'), /A frame is wrong: it has \d+ bytes/],
  players: [withFrames('players', 'bytes[10] = 9;'), /A frame is wrong: it has 9 records/],
  phase: [withFrames('phase', 'bytes[12] = 77;'), /A frame is wrong: there is no phase 77/],
  kind: [withFrames('kind', 'bytes[length - 4] = 7;'), /A frame is wrong: there is no kind 7/],
  owner: [withFrames('owner', 'bytes[length - 3] = 9;'), /A frame is wrong: there is no slot 9/],
  fast: [withTicks('fast', CAPTURE, 'if (header) header[7] += 1000;'), /does not follow the clock/],
  backwards: [
    withTicks('backwards', CAPTURE, 'if (header) header[7] -= 9;'),
    /not follow the clock/,
  ],
  counting: [
    withTicks(
      'counting',
      CAPTURE,
      `for (let last = 0; header; ) {
        if (performance.now() - last < 17) continue;
        last = performance.now();
        header[7]++;
      }`,
    ),
    /a tick does not return/,
  ],
  over: [
    withTicks('over', CAPTURE, 'if (header) header[6] = 3; while (header) header[7]++;'),
    /does not follow the clock|its worker ended/,
  ],
  talking: [withTicks('talking', SEND, `send(6, Buffer.from('x'), 500);`), /more than it may/],
  long: [
    withTicks('long', SEND, 'send(6, Buffer.alloc(60_000, 97), 20);'),
    /reports more than it may|a tick does not return/, // a pipe of its own is full,
  ],
  dribbling: [
    withTicks(
      'dribbling',
      SEND,
      `
      for (let fd = 3; fd < 64; fd++) {
        try { for (let i = 0; i < 5000; i++) writeSync(fd, Buffer.from([1])) } catch {}
      }`,
    ),
    /reports more than it may|cannot be read|a tick does not return/,
  ],
  cloning: [withTicks('cloning', SEND, 'send(0, serialize(new Map()), 1);'), /only reports are/],
  unknown: [withTicks('unknown', SEND, 'send(99, Buffer.alloc(1), 1);'), /there is no kind 99/],
};

/** Those that `make test` tries: one for each kind of check. */
const FEW = ['length', 'kind', 'fast', 'counting', 'talking', 'cloning'];

const title = 'a game that breaks a rule loses its match, and the TV and its neighbour go on';
test(title, { skip: lockMissing }, async (t) => {
  const breakers = Object.entries(BREAKERS).filter(([id]) => all || FEW.includes(id));
  const sources = breakers.map(([id, [source]]) => [`${id}.js`, source]);
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
