import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Client, startTv, temporaryFolder, until } from '../support/tv.js';

/** @typedef {import('../../app/tv.js').Tv} Tv */

/** A match that has gone on for a while. @param {Tv} tv @param {number} ticks */
async function playing(tv, ticks) {
  const { match } = await tv.lobby.start('bumper', { owner: 'test' });
  await until(() => match.ticks >= ticks, `${ticks} ticks`);
  return match;
}

/** @param {Tv} tv @param {string} id */
const finished = (tv, id) =>
  until(
    () => tv.clips.list.find((clip) => clip.id === id && /ready|failed/.test(clip.state)),
    'the clip',
  );

/** What lies in the clips' folder. @param {string} dataDir */
const files = (dataDir) => readdirSync(join(dataDir, 'clips')).map((name) => name.slice(24));

/** A program in the place of ffmpeg. @param {string} folder @param {string} script */
function fake(folder, script) {
  const file = join(folder, 'fake-ffmpeg');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
/** Reads a little, then says that it is there, and waits to be ended. */
const STANDING = 'head -c 1000 >/dev/null; exec sleep 60';

/** @param {Tv} tv @param {string} method @param {string} path @param {object} [body] */
const ask = (tv, method, path, body) =>
  fetch(`${tv.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tv.admin.token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  });

test('a clip of a match that runs: made, listed, fetched in parts, there after a restart, deleted', async (t) => {
  const dataDir = await temporaryFolder(t);
  const tv = await startTv(t, { dataDir });
  const match = await playing(tv, 130);
  const answer = await ask(tv, 'POST', '/api/clips', { match: match.id, seconds: 1 });
  assert.equal(answer.status, 201);
  const { id } = /** @type {any} */ (await answer.json());
  const before = match.ticks;
  const clip = await finished(tv, id);
  assert.equal(clip.error, null);
  assert.ok(match.ticks > before, 'the match went on meanwhile');
  assert.deepEqual(files(dataDir).sort(), ['.json', '.mp4']);

  const { clips } = /** @type {any} */ (await (await ask(tv, 'GET', '/api/clips')).json());
  assert.equal(clips.length, 1);
  assert.ok(!('owner' in clips[0]) && !('client' in clips[0]));
  const file = await fetch(tv.url + clips[0].url);
  const bytes = Buffer.from(await file.arrayBuffer());
  assert.equal(file.headers.get('content-type'), 'video/mp4');
  assert.equal(bytes.length, clip.bytes);
  const part = await fetch(`${tv.url}${clips[0].url}?download`, {
    headers: { range: 'bytes=4-7' },
  });
  assert.equal(part.status, 206);
  assert.equal(await part.text(), 'ftyp');
  assert.match(part.headers.get('content-disposition') ?? '', /pitv-bumper-.*\.mp4/);
  const path = join(dataDir, 'clips', `${id}.mp4`);
  const probe = ['-v', 'error', '-count_frames', '-of', 'csv=p=0'];
  const said = execFileSync('ffprobe', [
    ...probe,
    ...['-show_entries', 'stream=width,height,duration,nb_read_frames', path],
  ]);
  assert.equal(String(said).trim(), '1280,720,1.000000,30');

  await tv.stop();
  const again = await startTv(t, { dataDir });
  assert.deepEqual(
    again.clips.list.map((one) => [one.id, one.state, one.bytes]),
    [[id, 'ready', bytes.length]],
  );
  assert.equal((await ask(again, 'DELETE', `/api/clips/${id}`)).status, 204);
  assert.deepEqual(files(dataDir), []);
  assert.equal((await fetch(again.url + clips[0].url)).status, 404);
});

test('a recording from now on ends with its match, and has what was played since', async (t) => {
  const tv = await startTv(t);
  const match = await playing(tv, 60);
  const clip = await tv.clips.start(match, { from: 'now', seconds: 120, owner: 'test' });
  assert.equal(clip.state, 'recording');
  const from = match.ticks;
  await until(() => match.ticks >= from + 60, 'a second');
  await match.stop();
  const made = await finished(tv, clip.id);
  assert.equal(made.error, null);
  assert.ok(made.seconds >= 0.9 && made.seconds < 30, `${made.seconds}`);
});

test('a screen makes clips of what it watches, and deletes its own only', async (t) => {
  const folder = await temporaryFolder(t);
  const clips = { ffmpeg: fake(folder, STANDING), limits: { everyMs: 0 } };
  const tv = await startTv(t, { clips });
  const screen = await Client.screen(tv);
  const other = await Client.screen(tv);
  const match = await playing(tv, 60);
  await screen.next('watch', ({ match: id }) => id === match.id);
  other.send({ t: 'watch', match: null });
  other.send({ t: 'clip', match: match.id });
  assert.equal((await other.next('error')).code, 'PITV_NOT_YOURS');
  screen.send({ t: 'clip', match: match.id, seconds: 1.5 });
  assert.equal((await screen.next('error')).code, 'PITV_CLIP_OPTION');
  screen.send({ t: 'clip', match: match.id, height: 4320 });
  assert.equal((await screen.next('error')).code, 'PITV_CLIP_OPTION');
  screen.send({ t: 'clip', match: match.id });
  const made = (/** @type {any} */ { clips: list }) => list[0]?.state === 'making';
  const [mine] = (await screen.next('clips', made)).clips;
  const [theirs] = (await other.next('clips', made)).clips;
  assert.deepEqual([mine.yours, theirs.yours, 'owner' in theirs], [true, false, false]);
  other.send({ t: 'clipDelete', clip: mine.id });
  assert.equal((await other.next('error')).code, 'PITV_NOT_YOURS');
  screen.send({ t: 'clipDelete', clip: mine.id });
  await until(() => tv.clips.list.length === 0, 'its end');
  screen.send({ t: 'clipDelete', clip: mine.id });
  assert.equal((await screen.next('error')).code, 'PITV_CLIP_UNKNOWN');
});

test('nobody but the admin lists, makes or deletes clips over HTTP', async (t) => {
  const tv = await startTv(t);
  for (const [method, path] of [
    ['GET', '/api/clips'],
    ['POST', '/api/clips'],
    ['DELETE', '/api/clips/abc'],
    ['POST', '/api/clips/abc/finish'],
  ]) {
    assert.equal((await fetch(tv.url + path, { method })).status, 401, `${method} ${path}`);
  }
  for (const path of ['/clips/abc.mp4', '/clips/..%2fadmin-token.mp4']) {
    assert.equal((await fetch(tv.url + path)).status, 404, path);
  }
  const wrong = await ask(tv, 'POST', '/api/clips', { match: 1 });
  assert.equal(wrong.status, 404);
});

test('cancelled, a clip leaves neither a file nor a process', async (t) => {
  const folder = await temporaryFolder(t);
  const dataDir = await temporaryFolder(t);
  const pid = join(folder, 'pid');
  const clips = {
    ffmpeg: fake(folder, `echo $$ >${pid}; for f; do :; done; : >"$f"; ${STANDING}`),
  };
  const tv = await startTv(t, { dataDir, clips });
  const clip = await tv.clips.start(await playing(tv, 60), { owner: 'test' });
  await until(() => existsSync(pid) && files(dataDir).includes('.mp4.tmp'), 'a half file');
  await tv.clips.remove(clip.id);
  assert.deepEqual(files(dataDir), []);
  assert.deepEqual(tv.clips.list, []);
  const number = execFileSync('cat', [pid]).toString().trim();
  assert.ok(!existsSync(`/proc/${number}`));
});

for (const [what, script, code] of [
  ['no ffmpeg', undefined, 'PITV_PROGRAM_MISSING'],
  ['an ffmpeg that dies', 'for f; do :; done; : >"$f"; kill -9 $$', 'PITV_CLIP_FAILED'],
  ['a full disk', 'echo "x: No space left on device" >&2; exit 1', 'PITV_DISK_FULL'],
]) {
  test(`${what}: the clip fails with a clear word, leaves no file, and takes no room`, async (t) => {
    const folder = await temporaryFolder(t);
    const dataDir = await temporaryFolder(t);
    const ffmpeg = script === undefined ? 'pitv-no-ffmpeg' : fake(folder, script);
    const tv = await startTv(t, { dataDir, clips: { ffmpeg } });
    const screen = await Client.screen(tv);
    const match = await playing(tv, 60);
    const clip = await tv.clips.start(match, { owner: 'test' });
    const failed = await finished(tv, clip.id);
    assert.equal(failed.error?.code, code);
    const told = await screen.next('clips', ({ clips: list }) => list[0]?.state === 'failed');
    assert.ok(told.clips[0].error.message.length > 20);
    await until(() => files(dataDir).length === 0, 'an empty folder');
    assert.equal(tv.clips.bytes, 0);
    assert.ok(match.running);
  });
}

test('number, space and queue are bounded, whoever asks', async (t) => {
  const folder = await temporaryFolder(t);
  const ffmpeg = fake(folder, STANDING);
  const limits = { waiting: 2, everyMs: 0 };
  const tv = await startTv(t, { clips: { ffmpeg, limits } });
  const match = await playing(tv, 60);
  await tv.clips.start(match, { owner: 'a' });
  await tv.clips.start(match, { owner: 'b' });
  await assert.rejects(tv.clips.start(match, { owner: 'c' }), { code: 'PITV_CLIP_BUSY' });
  for (const clip of tv.clips.list) await tv.clips.remove(clip.id);
  tv.clips.limits.bytes = 20e6;
  await tv.clips.start(match, { owner: 'a' });
  await assert.rejects(tv.clips.start(match, { owner: 'b' }), { code: 'PITV_CLIP_SPACE' });
  tv.clips.limits.count = 1;
  await assert.rejects(tv.clips.start(match, { owner: 'b' }), { code: 'PITV_CLIP_LIMIT' });
  Object.assign(tv.clips.limits, { count: 9, bytes: 1e9, everyMs: 60_000 });
  await assert.rejects(tv.clips.start(match, { owner: 'a' }), { code: 'PITV_CLIP_BUSY' });
});

test('one address cannot use up all clips', async (t) => {
  const folder = await temporaryFolder(t);
  const ffmpeg = fake(folder, STANDING);
  const limits = { waiting: 9, everyMs: 0, count: 4, countPerAddress: 3 };
  const dataDir = await temporaryFolder(t);
  const tv = await startTv(t, { dataDir, clips: { ffmpeg, limits } });
  const match = await playing(tv, 60);
  const [a, b] = [{ client: '10.0.0.1' }, { client: '10.0.0.2' }];
  const start = (/** @type {object} */ by) =>
    tv.clips.start(match, { owner: `screen ${Math.random()}`, ...by });
  await start(a);
  await start(a);
  await assert.rejects(start(a), { code: 'PITV_CLIP_BUSY' });
  await start(b);
  for (const clip of tv.clips.list) await tv.clips.remove(clip.id);

  Object.assign(tv.clips.limits, { waitingPerAddress: 9, bytes: 80e6 });
  await start(a); // each may take 17 MB
  await start(a);
  await assert.rejects(start(a), {
    code: 'PITV_CLIP_SPACE',
    message: /at one address may take 40/,
  });
  await start(b);
  tv.clips.limits.bytes = 1e9;
  await start(b);
  await assert.rejects(start(b), { code: 'PITV_CLIP_LIMIT', message: /There are 4/ });
  const [newest] = tv.clips.list;
  await tv.clips.remove(newest.id);
  tv.clips.limits.countPerAddress = 2;
  await assert.rejects(start(a), { code: 'PITV_CLIP_LIMIT', message: /at this address made 2/ });
  await start({});
});

test('anonymous screens of one address share its clips, whatever their tokens', async (t) => {
  const folder = await temporaryFolder(t);
  const clips = { ffmpeg: fake(folder, STANDING) };
  const tv = await startTv(t, { clips });
  const match = await playing(tv, 60);
  /** @param {Client} screen */
  const ask = async (screen) => {
    screen.send({ t: 'watch', match: match.id });
    screen.send({ t: 'clip', match: match.id });
    await screen.settle();
    return screen.messages.find(({ t: type }) => type === 'error')?.code;
  };
  assert.equal(await ask(await Client.screen(tv)), undefined);
  assert.equal(await ask(await Client.screen(tv)), 'PITV_CLIP_BUSY', 'a second has not passed');
  const other = await Client.screen(tv, {}, { localAddress: '127.0.0.2' });
  assert.equal(await ask(other), undefined);
  assert.deepEqual(tv.clips.list.map(({ client }) => client).sort(), ['127.0.0.1', '127.0.0.2']);
});

test('--clip-mb 0 switches clips off', async (t) => {
  const tv = await startTv(t, { args: ['--clip-mb', '0'] });
  const match = await playing(tv, 60);
  await assert.rejects(tv.clips.start(match, { owner: 'a' }), {
    code: 'PITV_CLIP_NOT_KEPT',
    message: /--clip-mb/,
  });
});

test('what an interrupted TV left half is thrown away at the next start', async (t) => {
  const dataDir = await temporaryFolder(t);
  await (await startTv(t, { dataDir })).stop();
  const id = 'a'.repeat(24);
  for (const name of [
    `${id}.mp4.tmp`,
    `${'b'.repeat(24)}.mp4`,
    `${'c'.repeat(24)}.json`,
    'notes.txt',
  ])
    writeFileSync(join(dataDir, 'clips', name), 'half');
  const tv = await startTv(t, { dataDir });
  assert.deepEqual(tv.clips.list, []);
  const note = `${'c'.repeat(24)}.json.bad-1`; // no note of ours: set aside
  assert.deepEqual(readdirSync(join(dataDir, 'clips')).sort(), [note, 'notes.txt']);
});
