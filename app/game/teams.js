/** Assigns the players and bots of a match to teams, evenly. */

/** The team of a slot that nobody plays. */
export const NO_TEAM = 255;

/** @typedef {import('./flow.js').Flow} Flow */

/**
 * Assigns each slot with a player or bot to a team. People are spread first, then bots. A slot keeps its team as long
 * as somebody plays it, unless it is moved to make the teams even.
 * @param {Flow} flow of a game with teams
 * @param {{bots: boolean, people: boolean}} move who may be moved to another team
 */
export function assignTeams(flow, move) {
  const { slots, team, human } = flow;
  for (let slot = 0; slot < slots; slot++) if (!flow.seated(slot)) team[slot] = NO_TEAM;
  for (let slot = 0; slot < slots; slot++) {
    if (human[slot] === 1 && team[slot] === NO_TEAM) team[slot] = smallestTeam(flow, true);
  }
  for (let slot = 0; slot < slots; slot++) {
    if (flow.bot[slot] === 1 && team[slot] === NO_TEAM) team[slot] = smallestTeam(flow, false);
  }
  if (move.people) while (moveOne(flow, true));
  if (move.bots) while (moveOne(flow, false));
}

/** Returns whether somebody in a team has won. @param {Flow} flow @param {number} team */
export function hasWon(flow, team) {
  for (let slot = 0; slot < flow.slots; slot++) {
    if (flow.winner[slot] === 1 && flow.team[slot] === team) return true;
  }
  return false;
}

/** Counts a team's members. @param {Flow} flow @param {number} team @param {boolean} people without bots */
function countMembers(flow, team, people) {
  let count = 0;
  for (let slot = 0; slot < flow.slots; slot++) {
    if (flow.team[slot] === team && (!people || flow.human[slot] === 1)) count++;
  }
  return count;
}

/** Returns the team with the fewest people, then members, then the first. @param {Flow} flow @param {boolean} people */
function smallestTeam(flow, people) {
  let found = 0;
  let fewest = Infinity;
  for (let team = 0; team < flow.teams; team++) {
    // At most 8 members: people weigh more than all members together.
    const size =
      countMembers(flow, team, false) + (people ? 16 * countMembers(flow, team, true) : 0);
    if (size >= fewest) continue;
    fewest = size;
    found = team;
  }
  return found;
}

/**
 * Moves a person or a bot to the smallest team, from the largest one that has any, if their sizes differ by more than
 * one.
 * @param {Flow} flow @param {boolean} people whether only people count, and a person is moved
 * @returns {boolean} whether the teams have changed
 */
function moveOne(flow, people) {
  const { slots, team } = flow;
  const movable = people ? flow.human : flow.bot;
  let smallest = 0;
  for (let other = 1; other < flow.teams; other++) {
    if (countMembers(flow, other, people) < countMembers(flow, smallest, people)) smallest = other;
  }
  let found = -1;
  let most = countMembers(flow, smallest, people) + 1;
  for (let slot = slots - 1; slot >= 0; slot--) {
    const size = movable[slot] === 1 ? countMembers(flow, team[slot], people) : 0;
    if (size <= most) continue;
    most = size;
    found = slot;
  }
  if (found < 0) return false;
  team[found] = smallest;
  return true;
}
