import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import pino from 'pino';
import { createEngine } from '../../app/engine/index.js';
import { decodeFrame } from '../support/decode-frame.js';
import { Previews, checkPreview } from '../../app/match/previews.js';
import { Store } from '../../app/storage/store.js';
import { ask } from '../support/http.js';
import { faultyGame, startTv, temporaryFolder, until } from '../support/tv.js';
import { NEXT_ROUND } from './slow-rounds.js';

test('the picture of a game is a frame of its demo, made once and saved', async (t) => {
  const dataDir = temporaryFolder();
  const tv = await startTv(t, { dataDir });
  const url = `${tv.url}/api/games/bumper/preview`;
  const [one, two] = await Promise.all([fetch(url), fetch(url)]);
  assert.equal(one.headers.get('content-type'), 'application/octet-stream');
  const bytes = new Uint8Array(await one.arrayBuffer());
  const frame = decodeFrame(bytes);
  assert.ok(frame.bodies.count > 10 && frame.phase === 1, 'the demo is in motion');
  assert.deepEqual(new Uint8Array(await two.arrayBuffer()), bytes);
  assert.deepEqual(tv.engine.workers, [], 'its worker has ended');
  const etag = String(one.headers.get('etag'));
  const again = await ask(tv, '/api/games/bumper/preview', { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
  await tv.stop();
  const next = await startTv(t, { dataDir });
  const kept = await fetch(`${next.url}/api/games/bumper/preview`);
  assert.deepEqual(new Uint8Array(await kept.arrayBuffer()), bytes, 'the same after a restart');
  assert.equal((await readdir(join(dataDir, 'previews'))).length, 1);
  assert.equal((await fetch(`${next.url}/api/games/none/preview`)).status, 404);
});

/** @param {import('node:test').TestContext} t @param {import('pino').Logger} log */
async function makePreviews(t, log) {
  const engine = await createEngine('thread');
  t.after(() => engine.close());
  const store = new Store(temporaryFolder());
  const previews = Object.assign(new Previews({ engine, store, log }), { retryMs: 500, turnMs: 0 });
  t.after(() => previews.close());
  return previews;
}
const broken = { ...faultyGame, url: new URL('./none.js', import.meta.url).href };

test('no picture shows the time between two rounds', async (t) => {
  const previews = await makePreviews(t, pino({ level: 'silent' }));
  const game = { ...faultyGame, url: new URL('./slow-rounds.js', import.meta.url).href };
  const { tick, phase } = decodeFrame((await previews.get(game)).bytes);
  assert.ok(tick >= NEXT_ROUND && phase === 1, `tick ${tick}, phase ${phase}`);
});

test('a demo of others that takes long gives way to the next picture, one of pitv does not', async (t) => {
  const previews = await makePreviews(t, pino({ level: 'silent' }));
  const url = new URL('./slow-rounds.js', import.meta.url).href;
  const own = { ...faultyGame, url };
  const lock = { readable: [], bestEffort: true };
  const start = Promise.allSettled([
    previews.get({ ...own, id: 'other', url: `${url}?slow`, lock }),
  ]);
  await until(() => previews.engine.workers.length > 0, 'the demo of others');
  const next = await Promise.allSettled(['own', 'last'].map((id) => previews.get({ ...own, id })));
  const [first] = await start;
  const { code, cause } = first.status === 'rejected' ? first.reason : {};
  assert.equal(code, 'PITV_PREVIEW_FAILED');
  assert.match(cause.message, /other pictures wait/);
  const made = next.map(({ status }) => status);
  assert.deepEqual(made, ['fulfilled', 'fulfilled']);
});

test('a picture replaces that of another version, and its file and tag have the version', async (t) => {
  const previews = await makePreviews(t, pino({ level: 'silent' }));
  const { store } = previews;
  const [old, next] = ['e', 'f'].map((digit) => ({ ...faultyGame, hash: digit.repeat(64) }));
  const fileOf = (/** @type {typeof old} */ { hash }) => `faulty-${hash.slice(0, 32)}.frame`;
  const others = ['other-1.frame', 'faulty-off-1.frame', 'faulty-1.frame.part'];
  for (const name of others) {
    await store.write(`previews/${name}`, '');
  }
  await previews.get(old);
  assert.deepEqual(await store.list('previews', /./), [fileOf(old), ...others].sort());
  const { bytes, etag } = await previews.get(next);
  assert.deepEqual(await store.list('previews', /./), [fileOf(next), ...others].sort());
  assert.equal(etag, `"${'f'.repeat(32)}"`);
  assert.equal(previews.pathOf(next), join(store.directory, 'previews', fileOf(next)));
  assert.equal(checkPreview(Buffer.from(bytes)).length, bytes.length);
  for (const cut of [bytes.slice(1), bytes.slice(0, -1)]) {
    assert.throws(() => checkPreview(Buffer.from(cut)), { code: 'PITV_SAVED_INVALID' });
  }
});

test('a failed picture is made again after a pause, not at each request', async (t) => {
  let tries = 0;
  const log = pino({ level: 'warn' }, { write: () => void tries++ });
  const previews = await makePreviews(t, log);
  const failure = { code: 'PITV_PREVIEW_FAILED' };
  for (let i = 0; i < 20; i++) await assert.rejects(previews.get(broken), failure);
  assert.equal(tries, 1);
  assert.deepEqual(previews.engine.workers, []);
  await until(async () => {
    await assert.rejects(previews.get(broken), failure);
    return tries === 2;
  }, 'the next try');
});
