/** Helpers of the tests of locked workers. */
import { mkdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { engineTests, until } from '../helpers.js';
import { sizes } from './jobs/attempt.js';
import { buildRawCalls, skip as noCompiler } from './raw-calls.js';
import { temporaryFolder } from '../../support/folders.js';
import { lockMissing } from '../../support/lock.js';

const JOB = fileURLToPath(new URL('./jobs/attempt.js', import.meta.url));
const LOADER = new URL('./raw-calls.js', import.meta.url).href;

/** Why the tests are skipped; false if they run. */
export const skip = lockMissing || noCompiler;

/** @typedef {{value?: any, error?: string}} Outcome */
/**
 * @typedef {object} Stranger
 * @property {string} folder of its package
 * @property {string} outside a folder that it must not read
 * @property {ReturnType<typeof engineTests>} test
 * @property {(engine: import('../helpers.js').Engine, sources: Record<string, string>, args?: unknown) =>
 *   Promise<{outcomes: Record<string, Outcome>, worker: import('../../../app/engine/host/handle.js').WorkerHandle}>}
 *   attempt runs pieces of source code in a locked worker
 */

/**
 * Makes a package of a stranger, whose code runs in locked workers. Call it in the function of a suite.
 * @param {string} kind of the engine
 * @returns {Promise<Stranger>}
 */
export async function makeStranger(kind) {
  const parent = temporaryFolder();
  const folder = join(parent, 'package');
  const outside = join(parent, 'data');
  for (const path of [folder, outside]) mkdirSync(path);
  await cp(JOB, join(folder, 'game.mjs'));
  const addon = buildRawCalls(folder);
  const test = engineTests(kind, {
    spawn: ({ execArgv, env, around }) => ({
      execArgv: [...execArgv, '--import', LOADER],
      env: { ...env, PITV_TEST_RAW_CALLS: addon },
      around,
    }),
  });
  return {
    folder,
    outside,
    test,
    async attempt(engine, sources, args) {
      const worker = await engine.start(pathToFileURL(join(folder, 'game.mjs')), {
        sizes,
        options: { sources, args },
        lock: { readable: [folder, LOADER_FOLDER] },
      });
      /** @type {Outcome | undefined} */
      let outcomes;
      await until(() => {
        const frame = worker.mailbox.takeFrame();
        return frame && (outcomes = JSON.parse(Buffer.from(frame.bytes).toString()));
      }, 'it has written a frame');
      return { outcomes: /** @type {any} */ (outcomes), worker };
    },
  };
}

/** Where the loader of the test's addon is, which a process imports after its files have been locked. */
const LOADER_FOLDER = fileURLToPath(new URL('.', import.meta.url));
