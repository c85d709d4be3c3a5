/** The teams of a match: which player is in which team, their colours and their scores. */
import { slotColors } from './color.js';
import { PLAYER_FLAG, teamOf } from '../../game/frame.js';
import { readTeams } from '../../game/frame-reader.js';

/** @typedef {import('./types.js').TeamView} TeamView */
/** @typedef {import('./frame-view.js').FrameView} FrameView */
/** @typedef {ReturnType<typeof listTeams>[number]} TeamStanding */

/**
 * Returns the team of a slot.
 * @param {FrameView} frame @param {number} slot @param {readonly TeamView[]} teams of the game
 * @returns {number} -1 in a game without teams, and for a slot that nobody plays
 */
export function teamOfSlot(frame, slot, teams) {
  const { flags = 0 } = frame.players[slot] ?? {};
  const team = teamOf(flags);
  const isPlayed = (flags & (PLAYER_FLAG.present | PLAYER_FLAG.bot)) !== 0;
  return isPlayed && team < teams.length ? team : -1;
}

/** Returns a key of the players' teams. @param {FrameView} frame @param {readonly TeamView[]} teams */
export const teamsKey = (frame, teams) =>
  frame.players.map((_, slot) => teamOfSlot(frame, slot, teams)).join();

/**
 * Returns the colours in which bodies are drawn: in a game with teams, those of the players' teams.
 * @param {FrameView} frame @param {readonly TeamView[]} teams
 * @param {readonly string[]} colors of the players, by slot
 * @returns {readonly string[]} by slot
 */
export function bodyColors(frame, teams, colors) {
  if (teams.length === 0) return colors;
  return colors.map((color, slot) => teams[teamOfSlot(frame, slot, teams)]?.color ?? color);
}

/**
 * Lists the teams with their scores.
 * @param {FrameView} frame @param {readonly TeamView[]} teams
 * @returns in the order of the game; none if the game has no teams. slot: number of the team; shape: teams have none
 */
export function listTeams(frame, teams) {
  if (teams.length === 0) return [];
  const results = readTeams(frame.players, teams.length);
  return teams.map(({ name, color }, slot) => ({ slot, name, color, shape: '', ...results[slot] }));
}

/** Gives the renderer of a match the colours and names of the players when they change. */
export class Roster {
  /** The players' own colours, by slot. @type {readonly string[]} */
  colors = slotColors([]);
  /** The slots and the teams that the renderer shows. @type {unknown[]} */
  #shown = [];

  /**
   * @param {import('./renderer.js').Renderer} renderer @param {FrameView} frame
   * @param {import('./types.js').Slot[]} slots another array after each change
   * @param {readonly TeamView[]} teams of the game
   */
  update(renderer, frame, slots, teams) {
    const state = [slots, teamsKey(frame, teams)];
    if (state.every((each, i) => each === this.#shown[i])) return;
    this.#shown = state;
    this.colors = slotColors(slots);
    const names = slots.map(({ player }) => player?.name ?? null);
    renderer.setPlayers(bodyColors(frame, teams, this.colors), names, this.colors);
  }
}
