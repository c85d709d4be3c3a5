/**
 * Runs the attacks of attacks/ on a real TV on which a screen and two pads play. Each attack is one test, and the same
 * rules apply to all (support/trial.js).
 *
 * `make test` runs a few attacks, `make test-all` all attacks, for half a second each.
 *
 * - PITV_HOSTILE=full runs all, each for its whole time. `make hostile` does that with every engine.
 * - PITV_HOSTILE_ENGINE=NAME is the engine, zygote by default.
 * - PITV_HOSTILE_ONLY=TEXT runs the attacks with this text in their key.
 * - PITV_HOSTILE_JSON=NAME writes the figures to test/output/NAME-ENGINE.json.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startOfRun } from '../../bench/machine/conditions.js';
import { all } from '../support/extent.js';
import { tableOf } from '../support/report.js';
import { loadAttacks } from './support/attacker.js';
import { Game } from './support/game.js';
import { COLUMNS, tryAttack } from './support/trial.js';

const { PITV_HOSTILE, PITV_HOSTILE_ONLY = '', PITV_HOSTILE_JSON } = process.env;
const { PITV_HOSTILE_ENGINE: engine = 'zygote' } = process.env;
const full = PITV_HOSTILE === 'full';
/** The duration of an attack without PITV_HOSTILE=full. */
const SHORT_S = 0.5;
/** The attacks of `make test`. The tests of server/ and udp/ send the requests of most of the others. */
const FEW = [
  'compressed-frames',
  'message-floods',
  'unread-frames',
  'header-bombs',
  'slowloris-headers',
  'login-flood',
  'udp-flood',
];

/** The TV and its players get a higher priority than other programs and the attackers. */
try {
  setPriority(-10);
} catch {
  // Only root may do that. Otherwise other programs take part of the TV's time.
}

const OUTPUT = fileURLToPath(new URL('../output/', import.meta.url));
const attacks = Object.entries(await loadAttacks()).filter(([key]) =>
  PITV_HOSTILE_ONLY || full || all ? key.includes(PITV_HOSTILE_ONLY) : FEW.includes(key),
);

let addressGroup = 0;
/** Returns new addresses for an attack: limits that an earlier attack reached do not apply to it. */
function freshAddresses() {
  addressGroup++;
  return [1, 2, 3, 4].map((host) => `127.0.${10 + addressGroup}.${host}`);
}

describe(`a match with the ${engine} engine under attack`, () => {
  /** @type {import('./support/trial.js').Figures[]} */
  const figuresOfAll = [];
  const run = startOfRun();
  /** @type {Game | undefined} */
  let shared;
  before(async () => {
    shared = await Game.start(engine);
  });
  after(async () => {
    await shared?.stop();
    console.log(tableOf(COLUMNS, figuresOfAll, 1));
    if (!PITV_HOSTILE_JSON) return;
    const content = JSON.stringify({ ...run, attacks: figuresOfAll }, null, 2);
    mkdirSync(OUTPUT, { recursive: true });
    writeFileSync(`${OUTPUT}${PITV_HOSTILE_JSON}-${engine}.json`, `${content}\n`);
  });

  for (const [key, attack] of attacks) {
    test(attack.name, { skip: attack.slow && !full && 'make hostile runs it' }, async () => {
      const own = attack.limits && (await Game.start(engine, attack.limits));
      shared ??= await Game.start(engine);
      const game = own ?? shared;
      const seconds =
        full || attack.whole ? attack.bounds.seconds : Math.min(attack.bounds.seconds, SHORT_S);
      /** @type {string[]} */
      let broken = ['the attack could not be tried'];
      try {
        const addresses = freshAddresses();
        const figures = await tryAttack({ key, attack, addresses, seconds, game });
        figuresOfAll.push(figures);
        ({ broken } = figures);
      } finally {
        if (own || broken.length > 0) await game.stop();
        if (!own && broken.length > 0) shared = undefined; // the next attack gets a new TV
      }
      assert.ok(broken.length === 0, broken.join('\n'));
    });
  }
});
