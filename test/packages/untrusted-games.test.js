/** Games of others in a TV: what --untrusted-games decides. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseSettings } from '../../app/config/parse.js';
import { loadCatalog } from '../../app/packages/catalog.js';
import { readForeignGames } from '../../app/packages/foreign-games.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { lockMissing } from '../support/lock.js';
import { startTv, until } from '../support/tv.js';

const LIMIT_MS = 2000;
const CHANNEL = fileURLToPath(new URL('../../app/engine/zygote/channel.js', import.meta.url));

/** A game that tells in its tagline what reading a file gave. @param {string} file */
const curious = (file) =>
  gameSource('curious', {
    top: `import { readFileSync } from 'node:fs';
      let got = process.pid + ' ';
      try { got += readFileSync('${file}', 'latin1') } catch ({ code }) { got += code }`,
    fields: 'tagline: got,',
  });

/** A game that answers by itself when it is read. @param {string} answer an expression */
const forger = (answer) =>
  gameSource('forger', {
    top: `import { encode, writeAllSync } from '${CHANNEL}';
      const answer = ${answer};
      writeAllSync(3, encode(7, typeof answer === 'string' ? answer : JSON.stringify(answer)));
      await new Promise(() => {});`,
  });

/** @param {import('node:test').TestContext} t @param {Record<string, string>} files */
async function curiousFolder(t, files = {}) {
  const folder = await gameFolder(t, files);
  const secret = join(folder, 'secret.txt');
  writeFileSync(secret, 'token');
  writeFileSync(join(folder, 'curious.js'), curious(secret));
  return folder;
}

test('a game of others is described by a locked process', { skip: lockMissing }, async (t) => {
  const [game] = await loadCatalog(await curiousFolder(t));
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

test('games of others are locked by default, and off leaves them out', async (t) => {
  assert.equal(parseSettings([], {}).untrustedGames, 'locked');
  const folder = await curiousFolder(t);
  assert.deepEqual(await loadCatalog(folder, undefined, 'off'), []);
});

for (const engine of ['zygote', 'process']) {
  const title = `${engine}: code of others is locked and has a low priority from its first line on`;
  test(title, { skip: lockMissing }, async (t) => {
    const gamesDir = await curiousFolder(t, { 'polite.js': polite, 'good.js': gameSource('good') });
    const args = ['--engine', engine, '--untrusted-games', 'locked'];
    const tv = await startTv(t, { gamesDir, args });
    assert.equal(tv.lobby.game('polite').tagline, 'niceness 5');
    await assert.rejects(tv.lobby.start('polite', { owner: 'test' }), /niceness 10/);
    const { match } = await tv.lobby.start('good', { owner: 'test' });
    await until(() => match.ticks > 3, 'the match runs');
    assert.match(readFileSync(`/proc/${match.pid}/status`, 'latin1'), /^Seccomp:\s+2$/m);
    await match.stop();
  });
}

test('what the process answers is checked', async (t) => {
  const whole = (/** @type {string} */ fields) => `{ game: {
    id: 'forger', title: 'T', tagline: '', rules: [], controls: {}, players: { min: 0, max: 1 },
    view: { width: 9, height: 9, background: '#000000', kinds: [], events: [], extra: [] }, ${fields} },
    dimensions: { capacity: 9, decor: 0, stateWords: 9 } }`;
  const answers = {
    fine: whole('extra: 1'),
    'no title': whole("title: 'x'.repeat(1000)"),
    'other id': whole("id: 'other'"),
    'no dimensions': `{ game: ${whole('')}.game }`,
    'too many bodies': `{ ...${whole('')}, dimensions: { capacity: 65534, decor: 0, stateWords: 9 } }`,
    'too many bodies to draw': `{ ...${whole('')}, dimensions: { capacity: 9, decor: 2 ** 17, stateWords: 9 } }`,
    'too much state': `{ ...${whole('')}, dimensions: { capacity: 9, decor: 0, stateWords: 2 ** 19 } }`,
    'no number': `{ ...${whole('')}, dimensions: { capacity: 9, decor: 0, stateWords: '9' } }`,
    'a negative number': `{ ...${whole('')}, dimensions: { capacity: 9, decor: -1, stateWords: 9 } }`,
    'no game': `{ game: 5 }`,
    'not JSON': `'{'`,
    nested: `'{"game":'.repeat(20_000)`,
    'too long': `{ game: 'x'.repeat(2 ** 21) }`,
    'not an error': `{ game: { toString: 1, id: { toString: 1 } } }`,
  };
  for (const [name, answer] of Object.entries(answers)) {
    const folder = await gameFolder(t, { 'forger.js': forger(answer) });
    const [result] = await readForeignGames([{ path: join(folder, 'forger.js') }], LIMIT_MS, true);
    if (name === 'fine') assert.ok(!(result instanceof Error) && !('extra' in result), name);
    else assert.equal(Reflect.get(result, 'code'), 'PITV_GAME_INVALID', name);
  }
});

test('a process that answers by a structured clone is ended', { skip: lockMissing }, async (t) => {
  const source = gameSource('forger', {
    top: `import { encode, writeAllSync } from '${CHANNEL}';
      writeAllSync(3, encode(0, new Map()));
      await new Promise(() => {});`,
  });
  const folder = await gameFolder(t, { 'forger.js': source });
  const [result] = await readForeignGames([{ path: join(folder, 'forger.js') }], LIMIT_MS, true);
  assert.match(String(result), /only reports are allowed/);
});
