/** Tests /api/profiles. */
import assert from 'node:assert/strict';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { profilesFolder } from '../../app/system/profiles.js';
import { all } from '../support/extent.js';
import { ask } from '../support/http.js';
import { TV_ENGINES, games, gamesOf, startTv, until } from '../support/tv.js';

/** @param {import('../../app/tv.js').Tv} tv */
function client(tv) {
  const headers = { authorization: `Bearer ${tv.admin.token}` };
  const folder = profilesFolder(tv.settings.dataDir);
  /** @param {object} [body] of a POST @param {Record<string, string>} [more] headers */
  const call = async (body, more) => {
    const answer = await ask(tv, '/api/profiles', { headers: { ...headers, ...more }, body });
    return { ...answer, content: JSON.parse(String(answer.body)) };
  };
  return {
    folder,
    call,
    /** @returns {Promise<{id: string}[]>} */
    targets: async () => (await call()).content.targets,
    /** Names of the profiles in the folder. */
    files: async () =>
      (await readdir(folder).catch(() => [])).filter((name) => /^(cpu|heap)/.test(name)),
    /** Takes a profile. @param {string} target @param {string} kind @returns {Promise<any>} its content */
    async take(target, kind) {
      const { status, headers, content } = await call({ target, kind });
      assert.equal(status, 200);
      const named = new RegExp(`^attachment; filename="?${kind}-${target}-[\\w-]+\\.\\w+"?$`);
      assert.match(String(headers['content-disposition']), named);
      await until(async () => (await this.files()).length === 0, 'the end of the file');
      return content;
    },
    /** @param {unknown} target @param {unknown} kind @returns {Promise<[number, string, string]>} with the message */
    async refusal(target, kind) {
      const { status, content } = await call({ target, kind });
      return [status, content.error.code, content.error.message];
    },
    /** Waits until a profile is being taken. @returns {Promise<string>} path of its file */
    async begun() {
      const [name] = await until(async () => {
        const names = await this.files();
        return names.length > 0 && names;
      }, 'a file');
      return join(folder, name);
    },
  };
}

/** @param {any} profile @returns {Set<string>} names of functions that were sampled */
const sampled = (profile) =>
  new Set(profile.nodes.map((/** @type {any} */ { callFrame }) => callFrame.functionName));

/** @param {any} snapshot */
const isSnapshot = (snapshot) =>
  snapshot.snapshot.node_count > 1000 &&
  snapshot.nodes.length > 1000 &&
  snapshot.strings.length > 0;

for (const engine of TV_ENGINES) {
  test(`${engine}: a worker's profile has the functions of its game, and the match keeps running`, async (t) => {
    const games = await gamesOf('collide');
    const tv = await startTv(t, { games, args: ['--engine', engine] });
    tv.profiles.seconds = 0.5;
    await tv.lobby.start('collide', { owner: 'test', options: { bodies: 20_000, seed: 1 } });
    const admin = client(tv);
    const [, { id: target }, ...more] = await admin.targets();
    assert.deepEqual(more, []);
    const names = sampled(await admin.take(target, 'cpu'));
    const own = ['step', 'writeFrame', 'findPairs', 'advance', 'resolveContacts'];
    const isSampled = own.some((name) => names.has(name));
    assert.ok(isSampled, [...names].join(' '));
    assert.ok(isSnapshot(await admin.take(target, 'heap')));
    const [worker] = tv.engine.workers;
    const { tick } = worker.mailbox;
    await until(() => worker.mailbox.tick > tick + 10, 'more ticks of the match');
    const { matches } = await (await fetch(`${tv.url}/api/matches`)).json();
    assert.equal(matches[0].restarts, 0, 'the worker did not count as hung');
  });
}

test('a CPU profile and a heap snapshot of the main thread are readable by the owner only', async (t) => {
  const tv = await startTv(t, { args: ['--max-requests-per-second', '100000'] });
  tv.profiles.seconds = 0.5;
  const admin = client(tv);
  const range = { range: 'bytes=9999999999-' }; // of a file that has less
  const answer = await admin.call({ target: 'main', kind: 'cpu' }, range);
  assert.deepEqual([answer.status, answer.content.error.code], [503, 'PITV_PROFILE_FAILED']);
  let done = false;
  const load = (async () => {
    while (!done) await (await fetch(`${tv.url}/api/games`)).arrayBuffer(); // new connections are limited
  })();
  const taken = admin.take('main', 'cpu');
  assert.equal((await stat(await admin.begun())).mode & 0o777, 0o600);
  assert.equal((await stat(admin.folder)).mode & 0o777, 0o700);
  const names = sampled(await taken);
  done = true;
  await load;
  assert.ok(names.has('parserOnIncoming'), 'it served requests');
  if (all) assert.ok(isSnapshot(await admin.take('main', 'heap'))); // it is large
});

test('a second profile, an unknown target or kind, and a lack of memory are refused', async (t) => {
  const tv = await startTv(t);
  tv.profiles.seconds = 1;
  const admin = client(tv);
  const refusal = async (/** @type {unknown} */ target, /** @type {unknown} */ kind) =>
    (await admin.refusal(target, kind)).slice(0, 2);
  assert.deepEqual(await refusal('main', 'x'), [400, 'PITV_PROFILE_KIND']);
  for (const target of ['worker-1', 'worker-', 'x', 5, null]) {
    assert.deepEqual(await refusal(target, 'cpu'), [404, 'PITV_PROFILE_TARGET']);
  }
  tv.profiles.available = () => 80 * 1024 * 1024;
  assert.deepEqual(await refusal('main', 'heap'), [503, 'PITV_MEMORY_LOW']);
  const taken = admin.take('main', 'cpu');
  await admin.begun();
  assert.deepEqual(await refusal('main', 'cpu'), [409, 'PITV_PROFILE_BUSY']);
  await taken;
  const takeNext = () => tv.profiles.take('main', 'cpu', async () => {});
  await tv.profiles.take('main', 'cpu', takeNext); // while the first one is being read
});

test('a profile that is too large, or has no folder, leaves no file, nor does an earlier TV', async (t) => {
  const tv = await startTv(t);
  const admin = client(tv);
  await mkdir(admin.folder, { recursive: true });
  await writeFile(join(admin.folder, 'heap-main-20260101T000000Z.heapsnapshot'), '{}');
  tv.profiles.maxBytes = 1000;
  const [status, code, message] = await admin.refusal('main', 'heap');
  assert.deepEqual([status, code], [503, 'PITV_PROFILE_FAILED']);
  assert.match(message, /larger than/);
  assert.deepEqual(await readdir(admin.folder), []);
  await rm(admin.folder, { recursive: true });
  await writeFile(admin.folder, 'a file in the way');
  assert.deepEqual((await admin.refusal('main', 'cpu')).slice(0, 2), [503, 'PITV_PROFILE_FAILED']);
});

test('a worker that ends during its profile is an error and leaves no file', async (t) => {
  const tv = await startTv(t, { games });
  tv.profiles.seconds = 30;
  await tv.lobby.start('faulty', { owner: 'test' });
  const admin = client(tv);
  const [worker] = tv.engine.workers;
  const refused = admin.refusal(`worker-${worker.id}`, 'cpu');
  await admin.begun();
  await worker.stop();
  const [status, code, message] = await refused;
  assert.deepEqual([status, code], [503, 'PITV_PROFILE_FAILED']);
  assert.match(message, /has ended/);
  assert.deepEqual(await admin.files(), []);
});
