import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Client, startTv, temporaryFolder, until } from '../support/tv.js';
import { STANDING, ask, fake, files, finished, playing } from './clips-of-a-tv.js';

test('a clip of a running match is made, listed, downloaded in ranges, kept over a restart, and deleted', async (t) => {
  const dataDir = await temporaryFolder(t);
  const tv = await startTv(t, { dataDir });
  const match = await playing(tv, 130);
  const answer = await ask(tv, 'POST', '/api/clips', { match: match.id, seconds: 1 });
  assert.equal(answer.status, 201);
  const { id } = /** @type {any} */ (await answer.json());
  const before = match.ticks;
  const clip = await finished(tv, id);
  assert.equal(clip.error, null);
  assert.ok(match.ticks > before, 'the match kept running');
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
    '-show_entries',
    'stream=width,height,duration,nb_read_frames',
    path,
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

test('a screen makes clips of the match that it shows, and deletes only its own', async (t) => {
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

test('only the admin lists, makes or deletes clips over HTTP', async (t) => {
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

test('the number, the space and the queue of clips are limited for all owners together', async (t) => {
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

test('the clips of one address are limited', async (t) => {
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
  await assert.rejects(start(a), {
    code: 'PITV_CLIP_LIMIT',
    message: /at this address have made 2/,
  });
  await start({});
});

test('screens of one address share its limits, also with different tokens', async (t) => {
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

test('--clip-mb 0 disables clips', async (t) => {
  const tv = await startTv(t, { args: ['--clip-mb', '0'] });
  const match = await playing(tv, 60);
  await assert.rejects(tv.clips.start(match, { owner: 'a' }), {
    code: 'PITV_CLIP_NOT_KEPT',
    message: /--clip-mb/,
  });
});

test('the next start deletes unfinished clips of an interrupted TV', async (t) => {
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
  const note = `${'c'.repeat(24)}.json.bad-1`; // not written by the TV: set aside
  assert.deepEqual(readdirSync(join(dataDir, 'clips')).sort(), [note, 'notes.txt']);
});
