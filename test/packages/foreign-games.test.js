/** Games of others: how they are read, and what --untrusted-games decides. */
import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseSettings } from '../../app/config/parse.js';
import { loadCatalog } from '../../app/packages/catalog.js';
import { readForeignGames } from '../../app/packages/foreign-games.js';
import { extent } from '../support/extent.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { lockMissing } from '../support/lock.js';
import { startTv, until } from '../support/tv.js';

const LIMIT_MS = 500;
/** For games that end by themselves, however slow the machine is. */
const LONG_LIMIT_MS = 60_000;

/** Bad games, and how the sentence about each ends. @type {Record<string, [string, RegExp]>} */
const BAD = {
  syntax: [
    'export default 5;\nlet x = = 2;\n',
    /syntax\.js cannot be loaded: SyntaxError: .* \(syntax\.js:2\)$/,
  ],
  thrower: ['\nthrow new RangeError("no luck");', /RangeError: no luck \(thrower\.js:2\)$/],
  missing: ["import './nowhere.js';", /missing\.js cannot be loaded: Error: Cannot find module/],
  exiter: ['process.exit(0);', /loaded: process\.exit\(0\) was called \(exiter\.js:1\)$/],
  bomb: [
    `setImmediate(() => { throw new Error('later'); });\n${gameSource('bomb')}`,
    /bomb\.js cannot be loaded: later \(bomb\.js:1\)$/,
  ],
  eater: ['const a = []; for (;;) a.push(new Array(1000).fill({}));', /loaded: .*memory/],
  copy: [gameSource('other'), /copy\.js must be the result of defineGame\(\) with the id "copy"/],
  lonely: [
    gameSource('lonely', { fields: 'players: undefined,' }),
    /lonely: players must be an object, not undefined\. \(lonely\.js:\d+\)$/,
  ],
  plain: [
    "export default { id: 'plain', title: 'Plain', start() {}, dimensions() {} };",
    /plain\.js: plain: tagline must be a text/,
  ],
};

/** Games that never end. @type {typeof BAD} */
const ENDLESS = {
  loop: ['for (;;);', /loop\.js cannot be loaded: It was not imported within 1 s: does it loop\?$/],
  waiter: ['await new Promise(() => {});', /waiter\.js cannot be loaded: It was not imported/],
  stopped: [
    "process.kill(process.pid, 'SIGSTOP');",
    /stopped\.js cannot be loaded: It was not imported within/,
  ],
  lingerer: [
    "process.on('exit', () => { for (;;); });\nthrow new Error('bye');",
    /lingerer\.js cannot be loaded: Error: bye \(lingerer\.js:2\)$/,
  ],
};

/** Reads games of a folder. @param {string} folder @param {string[]} ids @param {number} limitMs */
function readFrom(folder, ids, limitMs) {
  const files = ids.map((id) => ({ path: join(folder, `${id}.js`) }));
  return readForeignGames(files, 'open', { limitMs });
}

/**
 * Reads bad games and one good one, and checks the sentence about each bad one.
 * @param {typeof BAD} games @param {number} limitMs @returns what was read of the good one
 */
async function readBadGames(games, limitMs) {
  const sources = Object.entries(games).map(([id, [text]]) => [`${id}.js`, text]);
  const files = { ...Object.fromEntries(sources), 'good.js': gameSource('good') };
  const folder = gameFolder(files);
  const results = await readFrom(folder, [...Object.keys(games), 'good'], limitMs);
  for (const [i, [id, [, sentence]]] of Object.entries(games).entries()) {
    assert.ok(results[i] instanceof Error, id);
    assert.match(results[i].message, sentence);
    assert.equal(Reflect.get(results[i], 'code'), 'PITV_GAME_INVALID');
  }
  return results.at(-1);
}

test('a game that never ends its import is left out with its reason', async () => {
  await readBadGames(ENDLESS, LIMIT_MS);
});

test('a game that cannot be imported is left out with its reason, and the others are read', async () => {
  const good = await readBadGames(BAD, LONG_LIMIT_MS);
  assert.ok(good && !(good instanceof Error));
  assert.equal(good.title, 'The game good');
  assert.equal(good.sizes({ seed: 7 }).inputSlots, 2);
});

test('a syntax error in any of many files is found by the process that reads the game', async (t) => {
  const parts = Array.from({ length: 40 }, (_, i) => [`many/${i}.js`, 'export {};']);
  const folder = gameFolder({
    ...Object.fromEntries(parts),
    'many.js': "import './many/last.js';",
    'many/last.js': `\nlet x = = 2;${' '.repeat(1_000_000)}`,
  });
  const starts = t.mock.method(/** @type {any} */ (childProcess.ChildProcess.prototype), 'spawn');
  const [result] = await readFrom(folder, ['many'], LONG_LIMIT_MS);
  assert.match(String(result), /SyntaxError: .* \(many\/last\.js:2\)$/);
  assert.equal(starts.mock.callCount(), 1);
});

test('the sizes for other options are read before a match', async () => {
  const folder = gameFolder({ 'good.js': gameSource('good') });
  const [good] = await readFrom(folder, ['good'], LIMIT_MS);
  assert.ok(!(good instanceof Error));
  assert.throws(() => good.sizes({ balls: 50 }), /prepare/);
  await Promise.all([good.prepare({ balls: 50, seed: 3 }), good.prepare({ balls: 49 })]);
  assert.ok(good.sizes({ balls: 50, match: 1 }).frameBytes > good.sizes().frameBytes);
  await good.prepare({ balls: 5 });
  writeFileSync(join(folder, 'good.js'), 'for (;;);');
  await assert.rejects(good.prepare({ balls: 7 }), { code: 'PITV_GAME_INVALID' });
  assert.equal(good.sizes().inputSlots, 2);
});

test('a game that computes its sizes for long delays no other one', async () => {
  const slowly = gameSource('slow', {
    top: "import { existsSync } from 'node:fs'; const file = new URL('slow/go', import.meta.url);",
    fields:
      'world({ balls }) { while (balls === 7 && !existsSync(file)); return { capacity: 9 }; },',
  });
  const sources = { 'good.js': gameSource('good'), 'slow.js': slowly, 'slow/part.js': '' };
  const folder = gameFolder(sources);
  const [good, slow] = await readFrom(folder, ['good', 'slow'], LONG_LIMIT_MS);
  assert.ok(!(good instanceof Error) && !(slow instanceof Error));
  const prepared = slow.prepare({ balls: 7 });
  await good.prepare({ balls: 7 });
  writeFileSync(join(folder, 'slow/go'), '');
  await prepared;
});

test('without a listener a broken game is an error', async () => {
  const folder = gameFolder({ 'pong.js': 'throw new Error("oh");' });
  await assert.rejects(loadCatalog(folder, undefined, 'open'), {
    code: 'PITV_GAME_INVALID',
    message: /pong\.js.*oh/,
  });
});

const ANSWER_MS = 2000;
const CHANNEL = fileURLToPath(new URL('../../app/engine/zygote/channel.js', import.meta.url));

/** A game that tells in its tagline what reading a file gave. @param {string} file */
const curious = (file) =>
  gameSource('curious', {
    top: `import { readFileSync } from 'node:fs';
      let got = process.pid + ' ';
      try { got += readFileSync('${file}', 'latin1') } catch ({ code }) { got += code }`,
    fields: 'tagline: got,',
  });

/** Makes a folder of a game that answers by itself when it is read. @param {string} message an expression */
const forgerFolder = (message) =>
  gameFolder({
    'forger.js': gameSource('forger', {
      top: `import { encode, writeAllSync } from '${CHANNEL}';
        writeAllSync(3, ${message});
        await new Promise(() => {});`,
    }),
  });

/** @param {Record<string, string>} files */
function curiousFolder(files = {}) {
  const folder = gameFolder(files);
  const secret = join(folder, 'secret.txt');
  writeFileSync(secret, 'token');
  writeFileSync(join(folder, 'curious.js'), curious(secret));
  return folder;
}

test('a game of others is described by a locked process', { skip: lockMissing }, async () => {
  const [game] = await loadCatalog(curiousFolder());
  const [pid, result] = game.tagline.split(' ');
  assert.match(result, /^(EACCES|ENOENT)$/);
  assert.notEqual(Number(pid), process.pid);
});

/** A game that fails when it is imported for a match, and tells its priority: when it is read, in its tagline. */
const polite = gameSource('polite', {
  top: `import os from 'node:os';
    if (!process.argv[1].includes('read-game')) throw new Error('niceness ' + os.getPriority());`,
  fields: `tagline: 'niceness ' + os.getPriority(),`,
});

test('games of others are locked by default, and off leaves them out', async () => {
  assert.equal(parseSettings([], {}).untrustedGames, 'locked');
  assert.deepEqual(await loadCatalog(curiousFolder(), undefined, 'off'), []);
});

for (const engine of extent(['zygote'], ['zygote', 'process'])) {
  const title = `${engine}: code of others is locked and has a low priority from its first line on`;
  test(title, { skip: lockMissing }, async (t) => {
    const gamesDir = curiousFolder({ 'polite.js': polite, 'good.js': gameSource('good') });
    const args = ['--engine', engine, '--untrusted-games', 'locked'];
    const tv = await startTv(t, { gamesDir, args });
    const niceness = `niceness ${Math.max(10, os.getPriority())}`; // that of the tests, if it is lower
    assert.equal(tv.lobby.game('polite').tagline, niceness);
    await assert.rejects(tv.lobby.start('polite', { owner: 'test' }), new RegExp(niceness));
    const { match } = await tv.lobby.start('good', { owner: 'test' });
    await until(() => match.ticks > 3, 'the match runs');
    assert.match(readFileSync(`/proc/${match.pid}/status`, 'latin1'), /^Seccomp:\s+2$/m);
    await match.stop();
  });
}

test('what the process answers is checked', async () => {
  const whole = (/** @type {string} */ fields, dimensions = '') => `{ game: {
    id: 'forger', title: 'T', tagline: '', rules: [], controls: {}, players: { min: 0, max: 1 },
    view: { width: 9, height: 9, background: '#000000', kinds: [], events: [], extra: [] }, ${fields} },
    dimensions: { capacity: 9, decor: 0, stateWords: 9, ${dimensions} } }`;
  const answers = {
    fine: whole('extra: 1'),
    'no title': whole("title: 'x'.repeat(1000)"),
    'other id': whole("id: 'other'"),
    'no dimensions': `{ game: ${whole('')}.game }`,
    'too many bodies': whole('', 'capacity: 65534'),
    'too many bodies to draw': whole('', 'decor: 2 ** 17'),
    'too much state': whole('', 'stateWords: 2 ** 19'),
    'no number': whole('', "stateWords: '9'"),
    'a negative number': whole('', 'decor: -1'),
    'no game': `{ game: 5 }`,
    'not JSON': `'{'`,
    nested: `'{"game":'.repeat(20_000)`,
    'too long': `{ game: 'x'.repeat(2 ** 21) }`,
    'not an error': `{ game: { toString: 1, id: { toString: 1 } } }`,
  };
  for (const [name, answer] of Object.entries(answers)) {
    const text = answer[0] === "'" ? answer : `JSON.stringify(${answer})`;
    const folder = forgerFolder(`encode(7, ${text})`);
    const [result] = await readFrom(folder, ['forger'], ANSWER_MS);
    if (name === 'fine') assert.ok(!(result instanceof Error) && !('extra' in result), name);
    else assert.equal(Reflect.get(result, 'code'), 'PITV_GAME_INVALID', name);
  }
});

test('a process that answers by a structured clone is ended', { skip: lockMissing }, async () => {
  const [result] = await readFrom(forgerFolder('encode(0, new Map())'), ['forger'], ANSWER_MS);
  assert.match(String(result), /only reports are allowed/);
});
