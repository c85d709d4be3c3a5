/** Finds the logs and CPU profiles of the main thread and of the workers. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PitvError } from '../../app/errors.js';

/**
 * Finds the logs in a folder. V8 prefixes the given name with the address of the isolate and the process id.
 * @param {string} folder @param {string} engine
 */
export async function logsOf(folder, engine) {
  const names = (await readdir(folder)).filter((name) => /\.(log|cpuprofile)$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      name,
      createdMs: (await stat(join(folder, name))).birthtimeMs,
    })),
  );
  files.sort((a, b) => a.createdMs - b.createdMs);
  const own = files.filter(({ name }) => name.endsWith('main.log'));
  if (own.length === 0) {
    throw new PitvError('PITV_PROFILE_LOG', 'V8 wrote no log: this Node has no tick profiler.');
  }
  const threads = engine === 'thread' ? own.slice(1) : [];
  const processes = files.filter(({ name }) => !name.endsWith('main.log'));
  return {
    main: own[0].path,
    mainCreatedMs: own[0].createdMs,
    workers: [...threads, ...processes].map(({ path }) => path),
  };
}
