/** Makes clips of matches on a TV, for tests. */
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/tv.js';

/** @typedef {import('../../app/tv.js').Tv} Tv */

/** The longest wait for a clip of some seconds, ms. Its programs run when nothing else wants the cores. */
const FINISH_MS = 240_000;

/** Starts a match and waits for some ticks. @param {Tv} tv @param {number} ticks */
export async function playing(tv, ticks) {
  const { match } = await tv.lobby.start('bumper', { owner: 'test' });
  await until(() => match.ticks >= ticks, `${ticks} ticks`);
  return match;
}

/** @param {Tv} tv @param {string} id */
export const finished = (tv, id) =>
  until(
    () => tv.clips.list.find((clip) => clip.id === id && /ready|failed/.test(clip.state)),
    'the clip',
    FINISH_MS,
  );

/** Lists the file name extensions in the clips' folder. @param {string} dataDir */
export const files = (dataDir) => readdirSync(join(dataDir, 'clips')).map((name) => name.slice(24));

/** Writes a script that replaces ffmpeg. @param {string} folder @param {string} script */
export function fake(folder, script) {
  const file = join(folder, 'fake-ffmpeg');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
/** Reads some input, then waits until it is killed. */
export const STANDING = 'head -c 1000 >/dev/null; exec sleep 60';

/** @param {Tv} tv @param {string} method @param {string} path @param {object} [body] */
export const ask = (tv, method, path, body) =>
  fetch(`${tv.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tv.admin.token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  });
