/** Clips that are recorded to the end of a match, cancelled, or fail. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Client, startTv, temporaryFolder, until } from '../support/tv.js';
import { STANDING, fake, files, finished, playing } from './clips-of-a-tv.js';

test('a recording ends with its match, and has everything since its start', async (t) => {
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

test('a cancelled clip leaves no file and no process', async (t) => {
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
  test(`${what}: the clip fails with an error, leaves no file, and uses no space`, async (t) => {
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
