/** The options, members and events of piscina, with piscina itself and with every engine of the pool. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { Piscina } from 'piscina';
import { Pool } from '../../app/pool/index.js';
import { ENGINES } from './helpers.js';
import { DIFFERENCES, PROGRAMS } from './piscina-differences.js';
import { MEMBERS } from './piscina-members.js';
import { ABOUT, OPTIONS, RUN_OPTIONS } from './piscina-options.js';

/** @type {Record<string, any>} */
const PLACES = { piscina: undefined, ...ENGINES };
const GROUPS = {
  option: OPTIONS,
  'option of run()': RUN_OPTIONS,
  member: MEMBERS,
  difference: DIFFERENCES,
  program: PROGRAMS,
};

/**
 * Piscina requires its modules. Node.js aborts when a worker is ended while it requires an ES module; without that
 * feature piscina imports them.
 */
const IMPORTS = Reflect.get(process.features, 'require_module')
  ? ['--no-experimental-require-module']
  : [];

for (const [name, engine] of Object.entries(PLACES)) {
  describe(name, () => {
    const isPiscina = engine === undefined;
    const library = /** @type {any} */ (isPiscina ? Piscina : Pool);
    for (const [group, checks] of Object.entries(GROUPS)) {
      for (const [what, check] of Object.entries(checks)) {
        test(`${group} ${what}`, async (t) => {
          const alive = setInterval(() => {}, 1000); // idle pools let the process end
          t.after(() => clearInterval(alive));
          const open = (/** @type {any} */ options) => {
            const pool = new library({
              filename: ABOUT,
              minThreads: 1,
              maxThreads: options?.minThreads ?? 1,
              ...engine,
              ...options,
              ...(isPiscina && { execArgv: [...IMPORTS, ...(options?.execArgv ?? [])] }),
            });
            t.after(() => pool.destroy());
            return pool;
          };
          const isThread = isPiscina || engine.engine === 'thread';
          await check({ open, isPiscina, isThread, library });
        });
      }
    }
  });
}

const skip = !Reflect.get(process.features, 'require_module') && 'needs require() of ES modules';
test('require() returns the class, which has the named exports', { skip }, () => {
  const required = createRequire(import.meta.url)('../../app/pool/index.js');
  assert.equal(required, Pool);
  for (const name of ['Piscina', 'Pool', 'move', 'isWorkerThread', 'workerData', 'version']) {
    assert.ok(name in required, name);
  }
});
