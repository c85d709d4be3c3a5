/** Stops and restarts a whole TV. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import test from 'node:test';
import { parseSettings } from '../app/config/parse.js';
import { decodeFrame, showsInput } from './support/decode-frame.js';
import { silentLog } from '../app/log.js';
import { createTv } from '../app/create-tv.js';
import { PLAYER_FLAG } from '../app/game/frame.js';
import { CheckpointFiles } from '../app/storage/match-checkpoints.js';
import { listen } from './support/http.js';
import { root } from './support/test-files.js';
import {
  Client,
  TV_ENGINES,
  faultyGame,
  games,
  gamesOf,
  startTv,
  temporaryFolder,
  until,
} from './support/tv.js';

/** Has a TV save a match. @param {import('node:test').TestContext} t @returns {Promise<string>} its data directory */
async function saveMatch(t) {
  const dataDir = temporaryFolder();
  const tv = await startTv(t, { dataDir, games });
  await tv.lobby.start('faulty', { owner: 'x' });
  await tv.stop();
  return dataDir;
}

/** @param {string} dataDir @returns {Promise<number[]>} of the saved matches */
async function savedIds(dataDir) {
  const matches = await new CheckpointFiles(dataDir).read();
  return matches.map(({ saved }) => saved.id);
}

for (const engine of TV_ENGINES) {
  test(`${engine}: the next start resumes an interrupted match, and its player reconnects by token`, async (t) => {
    const dataDir = temporaryFolder();
    const options = { dataDir, games: await gamesOf('bumper'), args: ['--engine', engine] };
    const tv = await startTv(t, options);
    const screen = await Client.screen(tv);
    const ann = await Client.connect(tv, { t: 'hello', role: 'pad', code: tv.code, name: 'Ann' });
    const { token, player } = await ann.next('welcome');
    const ben = await Client.pad(tv, { name: 'Ben' });
    await ben.settle();
    screen.send({ t: 'start', game: 'bumper', options: { seed: 5 } });
    const { match, slot } = await ann.next('match');
    await screen.moreFrames(60);
    assert.equal(tv.persistence.bytesWritten, 0, 'a match is saved at the stop only');
    await tv.stop();
    const last = decodeFrame(/** @type {Buffer} */ (screen.frame));
    assert.equal((await ann.whenClosed()).code, 1001);
    assert.deepEqual(await savedIds(dataDir), [match]);

    const limits = { absentAfterMs: 600_000 }; // Ben does not come back, and no bot plays for him
    const next = await startTv(t, { ...options, limits });
    assert.equal(next.code, tv.code);
    assert.deepEqual(await savedIds(dataDir), [], 'read once');
    const back = await Client.connect(next, { t: 'hello', role: 'pad', token });
    const welcome = await back.next('welcome');
    assert.deepEqual([welcome.resumed, welcome.player], [true, player]);
    const again = await back.next('match');
    assert.deepEqual([again.match, again.slot], [match, slot]);
    const watcher = await Client.screen(next, { token: screen.token });
    watcher.send({ t: 'watch', match });
    await watcher.moreFrames(1);
    const first = decodeFrame(/** @type {Buffer} */ (watcher.frame));
    assert.ok(first.tick >= last.tick - 1, `${first.tick} after ${last.tick}`);
    assert.ok(first.tick < last.tick + 600, 'it resumed where it stopped');
    assert.ok(first.players[1 - slot].flags & PLAYER_FLAG.present, 'Ben still has his seat');
    await showsInput(watcher, back, slot);
    const { reason } = await watcher.ask({ t: 'stop', match }, 'ended');
    assert.equal(reason, 'stopped', 'the screen still owns the match');
  });
}

test('players and the strength of bots are kept over a quick restart, players are forgotten after a long one', async (t) => {
  const dataDir = temporaryFolder();
  const tv = await startTv(t, { dataDir, games });
  const ann = await Client.pad(tv, { name: 'Ann' });
  const screen = await Client.screen(tv);
  assert.equal(await screen.refusal({ t: 'bots', strength: 3 }), 'PITV_OPTION_INVALID');
  screen.send({ t: 'bots', strength: 2 });
  await screen.next('lobby', ({ botStrength }) => botStrength === 2);
  tv.lobby.players.remove(tv.lobby.players.add('Ben').player);
  await tv.stop();
  const quick = await startTv(t, { dataDir, games });
  const back = await Client.connect(quick, { t: 'hello', role: 'pad', token: ann.token });
  assert.equal((await back.next('welcome')).player.name, 'Ann');
  assert.equal(quick.lobby.botStrength, 2);
  assert.equal(quick.lobby.players.lastId, 2, 'nobody owns the matches of one who has left');
  await quick.stop();
  const code = quick.lobby.code.linkCode;
  const people = { format: 1, savedAt: Date.now() - 3600_000, players: [], screens: [], code };
  const saved = JSON.stringify({ ...people, players: quick.lobby.players.save() });
  const save = () => writeFile(join(dataDir, 'people.json'), saved);
  await save();
  const given = await startTv(t, { dataDir, games, args: ['--join-code', quick.code] });
  assert.equal(given.lobby.code.linkCode, code, 'printed links stay valid');
  await given.stop();
  await save();
  const late = await startTv(t, { dataDir, games });
  assert.deepEqual(late.lobby.players.all, []);
  assert.notEqual(late.code, quick.code);
});

test('stop() ends the workers, closes the port, and leaves the data directory to another TV', async (t) => {
  const dataDir = temporaryFolder();
  const tv = await startTv(t, { dataDir, games });
  const second = () => startTv(t, { dataDir, games });
  await assert.rejects(second(), { code: 'PITV_DATA_DIR_BUSY' });
  await Client.screen(tv);
  await Client.pad(tv);
  await tv.lobby.start('faulty', { owner: 'x' });
  const { port } = tv;
  await Promise.all([tv.stop(), tv.stop()]);
  assert.deepEqual(tv.engine.workers, []);
  const probe = createServer().listen(port, '127.0.0.1');
  await once(probe, 'listening');
  probe.close();
  await second();
});

test('a TV that cannot listen reports why, and keeps the saved matches', async (t) => {
  const dataDir = await saveMatch(t);
  const port = await listen(t, createServer());
  for (const [host, number, code] of [
    ['127.0.0.1', String(port), 'PITV_PORT_BUSY'],
    ['203.0.113.1', '0', 'PITV_LISTEN_FAILED'], // of another machine
  ]) {
    const flags = ['--host', host, '--port', number, '--data-dir', dataDir];
    const second = await createTv(parseSettings(flags, {}), silentLog, { games });
    await assert.rejects(second.start(), { code });
    await second.stop();
    assert.equal((await savedIds(dataDir)).length, 1);
  }
  const third = await startTv(t, { dataDir, games });
  assert.equal(third.lobby.matches.length, 1);
  await third.stop();
  const other = await startTv(t, { dataDir, games: [{ ...faultyGame, hash: 'a'.repeat(64) }] });
  assert.deepEqual(other.lobby.matches, [], 'it is of another version of the game');
});

for (const seconds of ['0', '1']) {
  test(`a TV that stops before its saved matches run keeps them, with --checkpoint-seconds ${seconds}`, async (t) => {
    const dataDir = await saveMatch(t);
    const ids = await savedIds(dataDir);
    assert.equal(ids.length, 1);
    const flags = ['--checkpoint-seconds', seconds, '--engine', 'thread', '--port', '0'];
    const settings = parseSettings([...flags, '--data-dir', dataDir], {});
    /** @type {[typeof games, (next: import('../app/tv.js').Tv, open: Promise<any>) => void][]} */
    const reasons = [
      [
        games,
        ({ engine }, open) => {
          Object.defineProperty(engine, 'isOpen', { value: false });
          engine.open = () => open;
        },
      ],
      [[], ({ services }, open) => void (services.installed.opened = open)],
    ];
    for (const [known, wait] of reasons) {
      const next = await createTv(settings, silentLog, { games: known, lazy: true });
      const load = t.mock.method(next.persistence, 'loadSaved');
      const gate = new EventEmitter();
      wait(next, once(gate, 'open'));
      const started = next.start();
      await until(() => load.mock.callCount() > 0, 'the saved matches');
      await load.mock.calls[0].result;
      await next.stop();
      gate.emit('open');
      await started;
      await next.persistence.close();
      assert.deepEqual(await savedIds(dataDir), ids);
    }
  });
}

test('a TV whose data directory cannot be written still runs games', async (t) => {
  const tv = await startTv(t, { dataDir: '/proc/pitv', games });
  assert.ok(tv.services.storeProblem);
  assert.equal(tv.admin.isTokenSaved, false);
  const screen = await Client.screen(tv);
  screen.send({ t: 'start', game: 'faulty' });
  await screen.moreFrames(3);
  await tv.stop();
});

test('packages that the first page does not need are loaded later', () => {
  const program = `
    import { createRequire } from 'node:module';
    await import('./app/create-tv.js');
    await import('./app/tv.js');
    console.log(Object.keys(createRequire(import.meta.url).cache).join('\\n'));
  `;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    encoding: 'utf8',
  });
  const packages = new Set(loaded.match(/(?<=node_modules\/)(@[^/]+\/)?[^/]+/g));
  for (const name of ['express', 'qrcode']) assert.ok(packages.has(name), name);
  for (const name of ['pidusage', 'piscina', 'pngjs', 'prom-client']) {
    assert.ok(!packages.has(name), name);
  }
});
