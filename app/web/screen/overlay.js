import { fill, h } from '../lib/dom.js';
import { PHASE } from '../../game/frame.js';
import { isDraw } from '../../game/frame-reader.js';
import { text as textOf } from '../lib/language.js';
import { playerLabel, shapeIcon } from '../lib/player-shapes.js';

/** Texts over the world between the rounds: the countdown, the winner, the podium. */

const PODIUM_PLACES = 3;
const MAX_NEWS = 3;

/** @typedef {import('./scoreboard.js').Standing} Standing */
/** @typedef {import('../lib/teams.js').TeamStanding} TeamStanding */
/** @typedef {(Standing | TeamStanding) & {place: number}} Ranked */

/**
 * Ranks players or teams.
 * @template {{score: number, slot: number}} T
 * @param {T[]} players
 * @returns {(T & {place: number})[]} best first; equal scores share a place
 */
export function rankPlayers(players) {
  const sorted = [...players].sort((a, b) => b.score - a.score || a.slot - b.slot);
  return sorted.map((player) => ({
    ...player,
    place: 1 + sorted.filter(({ score }) => score > player.score).length,
  }));
}

/** Returns the word for a round; '' if the game has no rounds. @param {{round?: string}} view */
const roundName = (view) => view.round ?? textOf('stage.round');

/** @param {number} count */
export const pointsText = (count) => textOf('points', { count });

/**
 * Returns the name of a round.
 * @param {import('../lib/types.js').GameView} view @param {number} number
 * @returns {string} '' if the game has no rounds
 */
export function roundNumber(view, number) {
  const round = roundName(view);
  const { rounds } = view;
  if (round === '') return '';
  return textOf('stage.roundNumber', { round, number: rounds ? `${number}/${rounds}` : number });
}

/**
 * Returns the text at the end of a round.
 * @param {Standing[]} players
 * @param {Pick<import('../lib/types.js').GameView, 'round' | 'extra'>} view
 * @param {TeamStanding[]} [teams]
 * @returns {string}
 */
export function roundText(players, view, teams = []) {
  const round = roundName(view);
  const together = view.extra?.includes('teamScore'); // the players share one score, so nobody wins alone
  const alive = players.filter((player) => player.alive);
  const standing = teams.length > 0 ? teamsOf(alive, teams) : alive;
  const all = teams.length > 0 ? teamsOf(players, teams) : players;
  if (standing.length === 1 && all.length > 1 && !together) {
    const [{ name }] = standing;
    if (round === '') return textOf(teams.length > 0 ? 'stage.teamWon' : 'stage.won', { name });
    return teams.length > 0
      ? textOf('stage.teamRoundWon', { name, round })
      : textOf('stage.roundWon', { name, round: round.toLowerCase() });
  }
  if (round === '') return textOf('stage.gameOver');
  return alive.length > 0 || teams.length > 0
    ? textOf('stage.roundOver', { round })
    : textOf('stage.allOut');
}

/** Returns the teams that players are in. @param {Standing[]} players @param {TeamStanding[]} teams */
const teamsOf = (players, teams) =>
  teams.filter(({ slot }) => players.some(({ team }) => team === slot));

/**
 * Returns the text at the end of a match.
 * @param {Standing[]} players @param {TeamStanding[]} [teams]
 * @returns {string}
 */
export function matchText(players, teams = []) {
  if (isDraw(players, teams)) return textOf('stage.draw');
  const all = teams.length > 0 ? teams : players;
  const winners = all.filter(({ winner }) => winner);
  if (winners.length === 0) return textOf('stage.gameOver');
  if (winners.length === 1 && all.length > 1)
    return textOf(teams.length > 0 ? 'stage.teamWon' : 'stage.won', { name: winners[0].name });
  return textOf('stage.allWon');
}

/**
 * Arranges the podium.
 * @param {Standing[]} players @param {TeamStanding[]} teams
 * @returns {{steps: Ranked[], rest: (Standing | TeamStanding)[]}} steps: the first teams, or the first players in a
 *   game without teams, the winner of three in the middle; rest: best first
 */
export function arrangePodium(players, teams) {
  /** @type {Ranked[]} */
  const ranked = teams.length > 0 ? rankPlayers(teams) : rankPlayers(players);
  const top = ranked.slice(0, PODIUM_PLACES);
  const steps = top.length === 3 ? [top[1], top[0], top[2]] : top;
  const members = teams.length > 0 ? rankPlayers(players) : [];
  return { steps, rest: [...ranked.slice(PODIUM_PLACES), ...members] };
}

export class Overlay {
  /** @type {string} */
  #shown = '';
  /** Sentences about records and achievements, for the podium. @type {string[]} */
  news = [];

  /** @param {{play: (sound: string) => void, setMusic: (title: null) => void}} sound @param {HTMLElement} root */
  constructor(sound, root) {
    this.sound = sound;
    this.root = root;
  }

  clear() {
    this.#show('', '');
  }

  /**
   * Shows the text for a frame's phase.
   * @param {import('../lib/frame-view.js').FrameView} frame
   * @param {Standing[]} players
   * @param {import('../lib/types.js').Game} game
   * @param {TeamStanding[]} teams
   */
  update(frame, players, game, teams) {
    if (frame.phase === PHASE.ready) return this.#countdown(frame, game);
    if (frame.phase === PHASE.roundOver) {
      const text = roundText(players, game.view, teams);
      return this.#show(`over-${frame.round}-${text}`, 'light', h('p.headline', text));
    }
    if (frame.phase === PHASE.matchOver) return this.#podium(players, teams);
    if (this.#shown.startsWith('ready')) this.sound.play('go');
    this.clear();
  }

  /** @param {import('../lib/frame-view.js').FrameView} frame @param {import('../lib/types.js').Game} game */
  #countdown(frame, game) {
    const seconds = Math.ceil(frame.seconds);
    const key = `ready-${frame.round}-${seconds}`;
    if (key === this.#shown) return;
    const { stick, a, b } = game.controls ?? {};
    const hint = Object.entries({ '◉': stick, A: a, B: b }).filter(([, text]) => text);
    const isFirst = frame.round <= 1; // later the players know the controls
    this.#show(
      key,
      '',
      h('p.small', (!isFirst && roundNumber(game.view, frame.round)) || game.title),
      h('p.big', Math.max(1, seconds)),
      isFirst &&
        h(
          'div.hint',
          hint.map(([name, text]) => h('div', h('b', name), text)),
        ),
    );
    this.sound.play('count');
  }

  /** @param {Standing[]} players @param {TeamStanding[]} teams */
  #podium(players, teams) {
    const { steps, rest } = arrangePodium(players, teams);
    const all = [...steps, ...rest];
    const scores = all.map(({ slot, score, name }) => `${slot}:${score}:${name}`).join();
    const key = `podium-${scores}-${this.news.join()}`;
    if (key === this.#shown) return;
    if (!this.#shown.startsWith('podium')) this.sound.play('fanfare');
    this.sound.setMusic(null);
    const other = (/** @type {typeof rest[number]} */ { name, color, shape, score }) =>
      h('li.chip', { color }, h('span', shape && shapeIcon(shape), name), h('b', score));
    this.#show(
      key,
      'dark',
      h('p.headline', matchText(players, teams)),
      h(
        'ul.news',
        this.news.slice(0, MAX_NEWS).map((text) => h('li', text)),
      ),
      h('div.podium.spaced', steps.map(podiumStep)),
      h('ul.others.wrap', rest.map(other)),
    );
  }

  /**
   * Replaces the text.
   * @param {string} key identifies the text @param {'' | 'light' | 'dark'} shade @param {...(Node | false)} nodes
   */
  #show(key, shade, ...nodes) {
    if (key === this.#shown) return;
    this.#shown = key;
    this.root.hidden = nodes.length === 0;
    this.root.setAttribute('data-shade', shade);
    fill(this.root, nodes);
  }
}

/** @param {Ranked} player */
function podiumStep({ name, color, shape, score, place }) {
  return h(
    'div.step',
    { color, 'data-place': Math.min(3, place) },
    h('span.who.line', shape ? playerLabel(shape, name) : h('span.cut', name)),
    h('div.block', h('span', place), h('small', pointsText(score))),
  );
}
