/** Tells the logs of the main thread and of the workers apart. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PitvError } from '../../app/errors.js';

/**
 * Finds the logs in a folder. V8 puts the address of the isolate and the process id before the given name.
 * @param {string} folder @param {string} engine
 */
export async function logsOf(folder, engine) {
  const names = (await readdir(folder)).filter((name) => /\.(log|cpuprofile)$/.test(name));
  const born = await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      name,
      at: (await stat(join(folder, name))).birthtimeMs,
    })),
  );
  born.sort((a, b) => a.at - b.at);
  const own = born.filter(({ name }) => name.endsWith('main.log'));
  if (own.length === 0) {
    throw new PitvError('PITV_PROFILE_LOG', 'V8 wrote no log: this Node has no tick profiler.');
  }
  const threads = engine === 'thread' ? own.slice(1) : [];
  const processes = born.filter(({ name }) => !name.endsWith('main.log'));
  return {
    main: own[0].path,
    mainBornMs: own[0].at,
    workers: [...threads, ...processes].map(({ path }) => path),
  };
}
