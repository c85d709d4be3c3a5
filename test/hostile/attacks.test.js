/**
 * Every attack in attacks/, on a real TV on which a screen and two pads play. Each is one test, and the same rules
 * hold for all (support/trial.js).
 *
 * - PITV_HOSTILE=full gives each attack its whole time. `make hostile` does that with every engine.
 * - PITV_HOSTILE_ENGINE=NAME is the engine, zygote by default.
 * - PITV_HOSTILE_ONLY=TEXT runs the attacks with this text in their file's name.
 * - PITV_HOSTILE_JSON=NAME writes the figures to test/output/NAME-ENGINE.json.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { startGame } from './support/game.js';
import { formatTable, writeJson } from './support/report.js';
import { RULES, tryAttack } from './support/trial.js';

const { PITV_HOSTILE, PITV_HOSTILE_ONLY = '', PITV_HOSTILE_JSON } = process.env;
const { PITV_HOSTILE_ENGINE: engine = 'zygote' } = process.env;
const full = PITV_HOSTILE === 'full';
/** What an attack gets of its time in `make test`. */
const SHORT_S = 0.5;

/** The TV and its players have a machine of their own, as far as this user may say so. Attackers are nicer. */
try {
  setPriority(-10);
} catch {
  // Only root may do that; without it, other programs take part of the TV's time.
}

const folder = new URL('attacks/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.includes(PITV_HOSTILE_ONLY));
/** @type {{file: string, attack: import('./support/attacker.js').Attack}[]} */
const attacks = await Promise.all(
  files.map(async (name) => {
    const file = new URL(name, folder).href;
    return { file, attack: (await import(file)).default };
  }),
);

let addressGroup = 0;
/** Each attack comes from addresses of its own: what one of them is denied must not help the next. */
function freshAddresses() {
  addressGroup++;
  return [1, 2, 3, 4].map((host) => `127.0.${10 + addressGroup}.${host}`);
}

describe(`a match with the ${engine} engine under attack`, () => {
  /** @type {import('./support/trial.js').Figures[]} */
  const all = [];
  const start = (/** @type {string[]} */ flags = []) => startGame(['--engine', engine, ...flags]);
  /** @type {import('./support/game.js').Game | undefined} */
  let shared;
  before(async () => {
    shared = await start();
  });
  after(async () => {
    await shared?.stop();
    console.log(formatTable(all));
    if (PITV_HOSTILE_JSON) {
      writeJson(`${PITV_HOSTILE_JSON}-${engine}`, {
        engine,
        full,
        node: process.version,
        rules: RULES,
        attacks: all,
      });
    }
  });

  for (const { file, attack } of attacks) {
    test(attack.name, { skip: attack.slow && !full && 'make hostile runs it' }, async () => {
      const own = attack.flags && (await start(attack.flags));
      shared ??= await start();
      const game = own ?? shared;
      const seconds = full ? attack.bounds.seconds : Math.min(attack.bounds.seconds, SHORT_S);
      /** @type {string[]} */
      let broken = ['the attack could not be tried'];
      try {
        const figures = await tryAttack({
          file,
          attack,
          addresses: freshAddresses(),
          seconds,
          game,
        });
        all.push(figures);
        ({ broken } = figures);
      } finally {
        if (own || broken.length > 0) await game.stop();
        if (!own && broken.length > 0) shared = undefined; // the next attack finds an unharmed TV
      }
      assert.ok(broken.length === 0, broken.join('\n'));
    });
  }
});
