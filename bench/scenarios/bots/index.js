/**
 * Measures how often scripted people win against bots. A beginner reacts after 300 ms, and the direction of the stick
 * is up to half a radian wrong; a good player reacts after 200 ms. No time is measured, so other load does not matter.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import bumper from '../../../app/games/bumper.js';
import { BUNDLED } from '../../../app/packages/catalog.js';
import { linkPitv } from '../../../app/packages/link.js';
import { planBumper, planKickOff } from './plans.js';
import { BEGINNER, GOOD, play, scripted } from './play.js';

const MATCHES = 20;
/** Values of the option botStrength. */
export const STRENGTHS = Object.freeze(['easy', 'normal', 'hard']);
/**
 * @typedef {object} GameOfPeople
 * @property {(workDir: string) => Promise<import('../../../app/game/define.js').Game>} load
 * @property {typeof planBumper} plan
 */
/** @type {GameOfPeople} */
const BUMPER = { load: async () => bumper, plan: planBumper };
/** @type {GameOfPeople} */
const KICK_OFF = { load: loadKickOff, plan: planKickOff };
/** @type {Record<string, GameOfPeople & {habits: import('./play.js').Habits, people: number}>} */
export const VARIANTS = {
  'Bumper, one beginner': { ...BUMPER, habits: BEGINNER, people: 1 },
  'Bumper, three beginners': { ...BUMPER, habits: BEGINNER, people: 3 },
  'Bumper, one good player': { ...BUMPER, habits: GOOD, people: 1 },
  'Kick-off, one beginner': { ...KICK_OFF, habits: BEGINNER, people: 1 },
  'Kick-off, two beginners against one': { ...KICK_OFF, habits: BEGINNER, people: 3 },
  'Kick-off, one good player': { ...KICK_OFF, habits: GOOD, people: 1 },
  'Kick-off, two good players against one': { ...KICK_OFF, habits: GOOD, people: 3 },
};

/** Imports a copy of the package, because it imports `pitv/game`. @param {string} workDir */
async function loadKickOff(workDir) {
  cpSync(join(BUNDLED, 'kick-off'), join(workDir, 'kick-off'), { recursive: true });
  await linkPitv(workDir);
  return (await import(pathToFileURL(join(workDir, 'kick-off/game.js')).href)).default;
}

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'bots',
  title: `Matches that people win against bots, ${MATCHES} matches a sample`,
  measures: ['bumper', 'bumper.js', 'kick-off'].map((name) => `app/games/${name}`),
  metrics: [{ name: 'won', unit: '%', better: 'higher', compare: false }],

  configurations: () =>
    Object.entries(VARIANTS).flatMap(([variant, { plan, people }]) => {
      const isFixed = plan === planKickOff && people > 1; // the score sets the strength of the one bot
      return STRENGTHS.slice(0, isFixed ? 1 : 3).map((level) => ({ variant, level }));
    }),

  starts: () => 50,

  async sample({ variant, level }, { round, workDir }) {
    const { load, plan, habits, people } = VARIANTS[variant];
    const game = await load(workDir);
    const options = { botStrength: STRENGTHS.indexOf(String(level)) };
    let won = 0;
    for (let seed = round * MATCHES; seed < (round + 1) * MATCHES; seed++) {
      const players = Array.from({ length: people }, (_none, slot) =>
        scripted(plan, { ...habits, seed: seed * game.players.max + slot }),
      );
      const { winners, job } = play(game, { seed, options, players });
      if (isWon(job.flow, winners)) won++;
    }
    return { metrics: { won: (100 * won) / MATCHES } };
  },

  notes: () => [
    'bots: of two people against one, who has a bot, the two win. There are four players and bots. A draw is no win.',
  ],
};

/**
 * Tells whether a person has won alone, or the team with more people.
 * @param {import('../../../app/game/flow.js').Flow} flow @param {number[]} winners slots
 */
function isWon({ human, team, teams }, winners) {
  if (teams === 0) return winners.length === 1 && human[winners[0]] === 1;
  const won = new Set(winners.map((slot) => team[slot]));
  let lead = 0;
  human.forEach((isHuman, slot) => (lead += won.has(team[slot]) ? isHuman : -isHuman));
  return won.size === 1 && lead > 0;
}
