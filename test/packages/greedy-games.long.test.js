/**
 * What locked games of others do to break out of their match: each is ended for a reason that fits, or plays on without
 * effect, and a match beside it loses no tick.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ADMIN } from '../../app/server/admin.js';
import { entriesOf, packageFiles, writeArchive } from '../support/archives.js';
import { lockMissing } from '../support/lock.js';
import { startTv, temporaryFolder, until } from '../support/tv.js';

/** The game beside it runs steadily by then. */
const TICK = 60;
/** Time from its import to the deed, ms: rehearsals of the game are over by then. */
const PEACE_MS = 1500;
/** Share of its ticks that the match beside it has at least, while a greedy worker and this test compute as well. */
const MIN_TICKS = 0.9;
const CALM_MS = 2000;
/** Counted from the match's start; more than a second after the deed on an idle machine. */
const PLAYS_ON_MS = 3500;

/**
 * The deeds: source code that runs in a step, and the reasons for which the worker may end. With 'plays on' the match
 * may also run on.
 * @type {Record<string, [source: string, reasons: string[]]>}
 */
const DEEDS = {
  'a loop': ['for (;;);', ['hung']],
  'a wait in a native call': [
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
    ['hung'],
  ],
  'a regular expression without end': ["/^(a+)+$/.test('a'.repeat(60) + 'b');", ['hung']],
  'a growing heap': [
    'const all = []; for (;;) all.push({ x: all.length });',
    ['out-of-memory', 'hung'],
  ],
  'growing buffers': [
    'const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1));',
    ['out-of-memory', 'crashed'],
  ],
  'a growing WebAssembly memory': [
    `const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
     for (;;) new Uint8Array(memory.buffer, memory.grow(64) * 65536).fill(1);`,
    ['out-of-memory', 'crashed'],
  ],
  'all descriptors': [
    `const { openSync } = await import('node:fs'); for (;;) openSync(import.meta.filename);`,
    ['crashed'],
  ],
  'writing to every descriptor': [
    `const { writeSync } = await import('node:fs');
     for (let fd = 0; fd < 64; fd++) try { writeSync(fd, Buffer.alloc(65536, 255)); } catch {}`,
    ['crashed', 'hung'],
  ],
  'closing every descriptor': [
    `const { closeSync } = await import('node:fs');
     for (let fd = 0; fd < 64; fd++) try { closeSync(fd); } catch {}`,
    ['crashed', 'hung'],
  ],
  'a flood of output': [
    "for (let i = 0; i < 3000; i++) console.log('x'.repeat(10_000));",
    ['plays on', 'crashed', 'hung'],
  ],
  'an exit': ['process.exit(0);', ['crashed']],
  'an abort': ['process.abort();', ['crashed']],
  'an exception': ["throw new Error('on purpose');", ['crashed']],
  'a changed Object.prototype': [
    'Object.prototype.polluted = true; Array.prototype.map = () => { throw 1; };',
    ['plays on', 'crashed'],
  ],
  'noise in all shared memory': [
    `for (const view of seen) new Uint8Array(view.buffer).forEach((_, i, all) => { all[i] = (i * 167 + 13) % 256; });`,
    ['plays on', 'crashed', 'hung'],
  ],
};

/** Collects the shared memory that the program uses, before it runs. */
const SPY = `
const seen = new Set();
for (const name of ['load', 'store', 'add', 'exchange', 'compareExchange']) {
  const real = Atomics[name];
  Atomics[name] = (view, ...rest) => { seen.add(view); return real(view, ...rest); };
}`;

/** @param {string} id @param {string} source */
const greedyFiles = (id, source) =>
  packageFiles(id, {
    game: {
      top: `${SPY}
let armed = Date.now() + ${PEACE_MS};
const deed = async () => { ${source} };`,
      hooks: 'settle() { if (Date.now() > armed) { armed = Infinity; void deed(); } },',
    },
  });

/** @param {import('../../app/match/match.js').Match} match @returns {Promise<number>} ticks a second */
async function rateOf(match, milliseconds = CALM_MS) {
  const [began, ticks] = [performance.now(), match.ticks];
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return ((match.ticks - ticks) / (performance.now() - began)) * 1000;
}

for (const engine of ['zygote', 'process']) {
  describe(`a locked game of the ${engine} engine`, { skip: lockMissing }, () => {
    test('gains nothing', async (t) => {
      const dataDir = await temporaryFolder(t);
      const args = ['--engine', engine, '--untrusted-games', 'locked'];
      const tv = await startTv(t, { dataDir, args, limits: { emptyMs: Infinity } });
      const { lobby } = tv;
      const { match: beside } = await lobby.start('collide', { owner: ADMIN });
      await until(() => beside.ticks > TICK, 'the match beside it runs');
      const calm = await rateOf(beside);
      for (const [i, [name, [source, reasons]]] of Object.entries(DEEDS).entries()) {
        await t.test(name, async () => {
          const id = `greedy-${i}`;
          const file = writeArchive(join(dataDir, `${id}.tgz`), entriesOf(greedyFiles(id, source)));
          await tv.services.installed.packages.install({ kind: 'file', from: file });
          await until(() => lobby.games.some((game) => game.id === id), 'the game');
          const { match } = await lobby.start(id, { owner: 'test' });
          const [began, ticks] = [performance.now(), beside.ticks];
          /** @type {string | undefined} */
          let reason;
          match.once('restart', (failure) => (reason = failure.reason));
          // A loop counts as hung by its CPU time, which takes long while every core is busy.
          const playsOn = () =>
            reasons.includes('plays on') && performance.now() > began + PLAYS_ON_MS && 'plays on';
          const outcome = await until(() => reason ?? playsOn(), reasons.join(' or '));
          assert.ok(reasons.includes(outcome), `${outcome}, not ${reasons.join(' or ')}`);
          await match.stop();
          const rate = ((beside.ticks - ticks) / (performance.now() - began)) * 1000;
          assert.ok(rate > calm * MIN_TICKS, `${rate} ticks a second beside it, ${calm} before`);
          assert.equal(beside.restarts, 0);
          assert.equal(Reflect.get({}, 'polluted'), undefined);
        });
      }
      await beside.stop();
    });
  });
}
