/**
 * Tests `make run` and `make test` on new Debian systems, as root and as an ordinary user. Each has a new root file
 * system with git and make. Other packages and Node.js dependencies are installed with the commands that a user would
 * run. Needs mmdebstrap, and root or a range in /etc/subuid.
 *
 * PITV_DEBIAN=all (`make test-debian`) runs all tests, otherwise only `make run` as one user of each release runs.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../bench/harness/free-ports.js';
import { waitForHealth } from './health.js';
import { FreshSystem, PLAYER, ROOT } from './fresh-system.js';
import { buildUnlessOffline, missingForSystem } from './needs.js';

const all = process.env.PITV_DEBIAN === 'all';
const SETUP_MS = 20 * 60_000;
const TAIL_CHARACTERS = 16_000;
const skip = missingForSystem();

/**
 * Runs the command that setup.sh prints for an ordinary user.
 * @param {FreshSystem} system @param {string} what argument of setup.sh
 */
async function installAsAsked(system, what) {
  const setup = system.start(`cd pitv && ./setup.sh ${what}`, PLAYER);
  assert.equal(await setup.ended, 1, setup.output);
  const [, command] = /^ {2}(sudo apt-get update && sudo apt-get .*)$/m.exec(setup.output) ?? [];
  assert.ok(command, `setup.sh prints no command:\n${setup.output}`);
  await system.run(command.replaceAll('sudo ', ''), ROOT);
}

/** Runs `make run` until the TV answers. @param {FreshSystem} system @param {import('./fresh-system.js').User} user */
async function makeRun(system, user) {
  if (user !== ROOT) await installAsAsked(system, 'run');
  const port = await freePort();
  const tv = system.start(`cd pitv && make run ARGS="--port ${port}"`, user);
  const ended = tv.ended.then(() => assert.fail(tv.output.slice(-TAIL_CHARACTERS)));
  await Promise.race([waitForHealth(`http://127.0.0.1:${port}`, SETUP_MS), ended]).finally(() =>
    tv.end(),
  );
}

/** @param {FreshSystem} system @param {import('./fresh-system.js').User} user */
async function makeTest(system, user) {
  if (user !== ROOT) await installAsAsked(system, 'test');
  const output = await system.run('cd pitv && make test', user);
  assert.match(output.slice(-500), /^\d+ passed, 0 failed/m);
}

for (const [suite, one] of /** @type {const} */ ([
  ['bookworm', ROOT],
  ['trixie', PLAYER],
])) {
  for (const user of all ? [ROOT, PLAYER] : [one]) {
    test(`Debian ${suite}, as ${user.name}`, { skip }, async (t) => {
      const { made: system, why } = await buildUnlessOffline(() => FreshSystem.make(suite, user));
      if (!system) return t.skip(why);
      t.after(() => system.remove());
      await system.run('apt-get update && apt-get install -y git make', ROOT);
      await t.test('make run', () => makeRun(system, user));
      if (all) await t.test('make test', () => makeTest(system, user));
    });
  }
}
