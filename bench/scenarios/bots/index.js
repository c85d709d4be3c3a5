/**
 * Measures how often scripted people win against bots. A beginner reacts after 300 ms, and the direction of the stick
 * is up to half a radian wrong; a good player reacts after 200 ms. No time is measured, so other load does not matter.
 */
import bumper from '../../../app/games/bumper.js';
import swarm from '../../../app/games/swarm.js';
import { PHASE } from '../../../app/game/frame.js';
import { TICK_HZ } from '../../../app/game/flow.js';
import {
  planBumper,
  planDucklings,
  planKickOff,
  planLanterns,
  planRally,
  planSwarm,
} from './plans.js';
import { BEGINNER, GOOD, loadBundled, play, scripted } from './play.js';

const MATCHES = 20;
/** Matches of Swarm, which take long. */
const SWARM_MATCHES = 5;
/** Lanterns that a beginner and a good player remember. */
const SPANS = [4, 7];
/** Values of the option botStrength. */
export const STRENGTHS = Object.freeze(['easy', 'normal', 'hard']);
/** Games whose people play together, without bots. */
const TOGETHER = ['Swarm', 'Lanterns'];

/** @typedef {import('../../../app/game/define.js').Game} Game */
/** Games of pitv itself; the others are packages. @type {Record<string, Game>} */
const BUILT_IN = { bumper, swarm };
/** Who plays: plan of a beginner, and of a good player. @type {Record<string, (typeof planBumper)[]>} */
const PLANS = {
  Bumper: [planBumper, planBumper],
  'Kick-off': [planKickOff, planKickOff],
  Ducklings: [planDucklings, planDucklings],
  Rally: [planRally, planRally],
  Swarm: [planSwarm, planSwarm],
  Lanterns: SPANS.map(planLanterns),
};
/** @typedef {{title: string, good?: boolean, people?: number}} Who */
/** @type {Who[]} */
const ALONE = [{ title: 'one beginner' }, { title: 'one good player', good: true }];
/** @type {Record<string, Who[]>} */
const MORE = {
  Bumper: [{ title: 'three beginners', people: 3 }],
  'Kick-off': [
    { title: 'two beginners against one', people: 3 },
    { title: 'two good players against one', good: true, people: 3 },
  ],
};
/** @type {Record<string, Who & {game: string}>} */
export const VARIANTS = Object.fromEntries(
  Object.keys(PLANS).flatMap((game) =>
    [...ALONE, ...(MORE[game] ?? [])].map((who) => [`${game}, ${who.title}`, { ...who, game }]),
  ),
);

/** @param {string} title @param {string} workDir @returns {Promise<Game>} */
async function loadGame(title, workDir) {
  const id = title.toLowerCase();
  return BUILT_IN[id] ?? (await loadBundled(workDir, id)).default;
}

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'bots',
  title: `Matches of scripted people, ${MATCHES} a sample, ${SWARM_MATCHES} of Swarm`,
  metrics: [
    { name: 'won', unit: '%', better: 'higher', compare: false },
    { name: 'length', unit: 's', compare: false },
    { name: 'rounds', unit: '', better: 'higher', compare: false },
    { name: 'leads', unit: '', better: 'higher', compare: false },
  ],

  configurations: () =>
    Object.entries(VARIANTS).flatMap(([variant, { game, people }]) => {
      // The strength of the bots is not chosen: there are none, or the score sets that of the one bot.
      const isFixed = TOGETHER.includes(game) || (game === 'Kick-off' && people);
      return STRENGTHS.slice(0, isFixed ? 1 : 3).map((level) => ({ variant, level }));
    }),

  async sample({ variant, level }, { round, workDir }) {
    const { game: title, good = false, people = 1 } = VARIANTS[variant];
    const game = await loadGame(title, workDir);
    const plan = PLANS[title][good ? 1 : 0];
    const habits = good ? GOOD : BEGINNER;
    /** @type {Record<string, number>} */
    const options = {};
    if (game.options.botStrength) options.botStrength = STRENGTHS.indexOf(String(level));
    const matches = title === 'Swarm' ? SWARM_MATCHES : MATCHES;
    const metrics = { won: 0, length: 0, rounds: 0, leads: 0 };
    for (let seed = round * matches; seed < (round + 1) * matches; seed++) {
      const players = Array.from({ length: people }, (_none, slot) =>
        scripted(plan, { ...habits, seed: seed * game.players.max + slot }),
      );
      let leader = -1;
      const { winners, job } = play(game, {
        seed,
        options,
        players,
        watch({ flow }) {
          if (flow.phase !== PHASE.matchOver) metrics.length += 1 / TICK_HZ / matches;
          const first = leaderOf(flow);
          if (first < 0 || first === leader) return;
          if (leader >= 0) metrics.leads += 1 / matches;
          leader = first;
        },
      });
      metrics.rounds += job.flow.round / matches;
      if (isWon(job.flow, winners)) metrics.won += 100 / matches;
    }
    return { metrics };
  },

  notes: () => [
    'bots: of two people against one, who has a bot, the two win. There are four players and bots, three in Ducklings. A draw is no win. Swarm and Lanterns have no bots: won is the last wave or round.',
  ],
};

/**
 * Returns who leads alone.
 * @param {import('../../../app/game/flow.js').Flow} flow @returns {number} slot or team, or -1
 */
function leaderOf({ teams, score, teamScore }) {
  const scores = teams > 0 ? teamScore : score;
  let [leader, best] = [-1, 0];
  for (let i = 0; i < scores.length; i++) {
    if (scores[i] === best) leader = -1;
    if (scores[i] <= best) continue;
    [leader, best] = [i, scores[i]];
  }
  return leader;
}

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
