/** Tests /api/profiles. */
import assert from 'node:assert/strict';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { all } from '../support/extent.js';
import { ask } from '../support/http.js';
import { TV_ENGINES, faultyGame, startTv, temporaryFolder, until } from '../support/tv.js';

/** @param {import('../../app/tv.js').Tv} tv */
function client(tv) {
  const headers = { authorization: `Bearer ${tv.admin.token}` };
  /** @param {string} path @param {Parameters<typeof ask>[2]} [options] */
  const call = async (path, options) => {
    const answer = await ask(tv, `/api/profiles${path}`, { headers, ...options });
    const content = answer.body.length > 0 ? JSON.parse(String(answer.body)) : null;
    return { ...answer, content };
  };
  return {
    /** @returns {Promise<any>} */
    status: async () => (await call('')).content,
    /** @param {unknown} target @param {unknown} kind @returns {Promise<[number, string?]>} status and code */
    async start(target, kind) {
      const { status, content } = await call('', { body: { target, kind } });
      return [status, content.error?.code];
    },
    /** Takes a profile. @param {string} target @param {string} kind @returns {Promise<any>} content of the file */
    async take(target, kind) {
      assert.deepEqual(await this.start(target, kind), [202, undefined]);
      await tv.profiles.idle;
      const { files, failed } = await this.status();
      assert.equal(failed, null);
      const [{ name, bytes }] = files;
      assert.ok(name.startsWith(`${kind}-${target}`), name);
      const { headers, body, content } = await call(`/${name}`);
      assert.match(headers['content-disposition'], /^attachment; filename=/);
      assert.equal(body.length, bytes);
      return content;
    },
    /** @param {string} name */
    remove: (name) => call(`/${name}`, { method: 'DELETE' }),
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
    const tv = await startTv(t, { args: ['--engine', engine] });
    tv.profiles.seconds = 0.5;
    await tv.lobby.start('collide', { owner: 'test', options: { bodies: 20_000, seed: 1 } });
    const admin = client(tv);
    const { targets } = await admin.status();
    assert.equal(targets.length, 2);
    const target = targets[1].id;
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

test('a CPU profile and a heap snapshot of the main thread are saved, readable by the owner only', async (t) => {
  const tv = await startTv(t, { args: ['--max-requests-per-second', '100000'] });
  tv.profiles.seconds = 0.5;
  const admin = client(tv);
  let done = false;
  const load = (async () => {
    while (!done) await ask(tv, '/api/games');
  })();
  const names = sampled(await admin.take('main', 'cpu'));
  done = true;
  await load;
  assert.ok(names.has('parserOnIncoming'), 'it served requests');
  if (all) assert.ok(isSnapshot(await admin.take('main', 'heap'))); // it is large
  const folder = join(tv.settings.dataDir, 'profiles');
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  for (const name of await readdir(folder)) {
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
  }
});

test('the admin gets profiles and no other file', async (t) => {
  const tv = await startTv(t);
  const headers = { authorization: `Bearer ${tv.admin.token}` };
  for (const name of ['..%2fadmin-token', 'admin-token', '%2e%2e', 'cpu-main', '%00']) {
    const { status } = await ask(tv, `/api/profiles/${name}`, { headers });
    assert.ok(status === 404 || status === 400, `${name}: ${status}`);
  }
  assert.equal((await client(tv).remove('..%2fadmin-token')).status, 404);
});

test('a second profile, an unknown target or kind, and a lack of memory are refused', async (t) => {
  const tv = await startTv(t);
  tv.profiles.seconds = 1;
  const admin = client(tv);
  assert.deepEqual(await admin.start('main', 'x'), [400, 'PITV_PROFILE_KIND']);
  for (const target of ['worker-1', 'worker-', 'x', 5, null]) {
    assert.deepEqual(await admin.start(target, 'cpu'), [404, 'PITV_PROFILE_TARGET']);
  }
  tv.profiles.available = () => 80 * 1024 * 1024;
  assert.deepEqual(await admin.start('main', 'heap'), [503, 'PITV_MEMORY_LOW']);
  assert.equal((await admin.start('main', 'cpu'))[0], 202);
  assert.deepEqual(await admin.start('main', 'cpu'), [409, 'PITV_PROFILE_BUSY']);
  assert.equal((await admin.status()).current.kind, 'cpu');
  await tv.profiles.idle;
  const { current, files } = await admin.status();
  assert.equal(current, null);
  assert.equal(files.length, 1);
  assert.equal((await admin.remove(files[0].name)).status, 204);
  assert.equal((await admin.remove(files[0].name)).status, 404);
});

test('a profile that is too large leaves no file, and the newest four are kept', async (t) => {
  const tv = await startTv(t);
  tv.profiles.seconds = 0.01;
  const admin = client(tv);
  tv.profiles.maxBytes = 1000;
  assert.equal((await admin.start('main', 'heap'))[0], 202);
  await tv.profiles.idle;
  const { failed, files } = await admin.status();
  assert.match(failed.message, /larger than/);
  assert.deepEqual(files, []);
  assert.deepEqual(await readdir(join(tv.settings.dataDir, 'profiles')), []);
  tv.profiles.maxBytes = 1e8;
  for (let day = 1; day <= 6; day++) {
    const name = `cpu-main-2026010${day}T000000Z.cpuprofile`;
    await writeFile(join(tv.settings.dataDir, 'profiles', name), '{}');
  }
  await admin.take('main', 'cpu');
  assert.equal((await admin.status()).files.length, 4);
});

test('a worker that ends during its profile is an error and leaves no file', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
  tv.profiles.seconds = 30;
  await tv.lobby.start('faulty', { owner: 'test' });
  const admin = client(tv);
  const [worker] = tv.engine.workers;
  assert.equal((await admin.start(`worker-${worker.id}`, 'cpu'))[0], 202);
  await worker.stop();
  await tv.profiles.idle;
  const { failed, files } = await admin.status();
  assert.match(failed.message, /has ended/);
  assert.deepEqual(files, []);
});

test('a profile is refused when its folder cannot be created', async (t) => {
  const folder = temporaryFolder();
  const tv = await startTv(t, { dataDir: folder });
  await rm(join(folder, 'profiles'), { recursive: true, force: true });
  await writeFile(join(folder, 'profiles'), 'a file in the way');
  const answer = await client(tv).start('main', 'cpu');
  assert.deepEqual(answer, [503, 'PITV_PROFILE_FAILED']);
});
