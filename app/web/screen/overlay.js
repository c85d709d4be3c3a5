import { byId, h } from '../lib/dom.js';
import { PHASE } from '../lib/frame.js';

/** What is written over the world between the rounds: the countdown, who won, the podium. */

const PODIUM_PLACES = 3;

/** @typedef {import('./scoreboard.js').Standing} Standing */

/**
 * @param {Standing[]} players
 * @returns {(Standing & {place: number})[]} best first; equals share a place
 */
export function ranking(players) {
  const sorted = [...players].sort((a, b) => b.score - a.score || a.slot - b.slot);
  return sorted.map((player) => ({
    ...player,
    place: 1 + sorted.filter(({ score }) => score > player.score).length,
  }));
}

/** @param {import('../lib/types.js').Game} game @returns {string} */
const roundName = (game) => game.view.round ?? 'Round';

/**
 * @param {Standing[]} players
 * @param {string} name what a round is called
 * @returns {string} what a round's end says
 */
export function roundText(players, name) {
  const standing = players.filter(({ alive }) => alive);
  if (standing.length === 1 && players.length > 1)
    return `${standing[0].name} takes the ${name.toLowerCase()}!`;
  return `${name} over`;
}

/** @param {Standing[]} players @returns {string} what a match's end says */
export function matchText(players) {
  const winners = players.filter(({ winner }) => winner);
  if (winners.length === 0) return 'Game over';
  if (winners.length === 1 && players.length > 1) return `${winners[0].name} wins!`;
  return winners.length === players.length ? 'You did it!' : 'A draw!';
}

export class Overlay {
  /** @type {string} */
  #shown = '';

  /** @param {{play: (sound: string) => void}} sound */
  constructor(sound) {
    this.sound = sound;
    this.root = byId('overlay');
  }

  clear() {
    this.#show('', []);
  }

  /**
   * @param {import('../lib/frame-view.js').FrameView} frame
   * @param {Standing[]} players
   * @param {import('../lib/types.js').Game} game
   */
  update(frame, players, game) {
    if (frame.phase === PHASE.ready) return this.#countdown(frame, game);
    if (frame.phase === PHASE.roundOver) {
      const text = roundText(players, roundName(game));
      return this.#show(`over-${frame.round}-${text}`, [h('p', { class: 'say', text })], 'light');
    }
    if (frame.phase === PHASE.matchOver) return this.#podium(players);
    if (this.#shown.startsWith('ready')) this.sound.play('go');
    this.clear();
  }

  /** @param {import('../lib/frame-view.js').FrameView} frame @param {import('../lib/types.js').Game} game */
  #countdown(frame, game) {
    const seconds = Math.ceil(frame.seconds);
    const key = `ready-${frame.round}-${seconds}`;
    if (key === this.#shown) return;
    const { stick, a, b } = game.controls ?? {};
    const hint = [stick && ['◉', stick], a && ['A', a], b && ['B', b]].filter((entry) =>
      Array.isArray(entry),
    );
    this.#show(key, [
      h('p', {
        class: 'small',
        text: frame.round > 1 ? `${roundName(game)} ${frame.round}` : game.title,
      }),
      h('p', { class: 'big', text: String(Math.max(1, seconds)) }),
      h(
        'p',
        { class: 'hint' },
        ...hint.map(([name, text]) => h('span', {}, h('b', { text: name }), text)),
      ),
    ]);
    this.sound.play('count');
  }

  /** @param {Standing[]} players */
  #podium(players) {
    const ranked = ranking(players);
    const key = `podium-${ranked.map(({ slot, score, name }) => `${slot}:${score}:${name}`).join()}`;
    if (key === this.#shown) return;
    if (!this.#shown.startsWith('podium')) this.sound.play('fanfare');
    const top = ranked.slice(0, PODIUM_PLACES);
    // The winner stands in the middle.
    const order = top.length === 3 ? [top[1], top[0], top[2]] : top;
    const rest = ranked.slice(PODIUM_PLACES);
    this.#show(
      key,
      [
        h('p', { class: 'say', text: matchText(players) }),
        h('div', { class: 'podium' }, ...order.map(podiumStep)),
        h(
          'ul',
          { class: 'others' },
          ...rest.map(({ name, color, score }) =>
            h(
              'li',
              { class: 'chip', color },
              h('span', { text: name }),
              h('b', { text: String(score) }),
            ),
          ),
        ),
      ],
      'dark',
    );
  }

  /** @param {string} key what is shown @param {Node[]} nodes @param {string} [shade] light, dark */
  #show(key, nodes, shade = '') {
    if (key === this.#shown) return;
    this.#shown = key;
    this.root.hidden = nodes.length === 0;
    this.root.setAttribute('data-shade', shade);
    this.root.replaceChildren(...nodes);
  }
}

/** @param {Standing & {place: number}} player */
function podiumStep({ name, color, score, place }) {
  return h(
    'div',
    { class: 'step', color, 'data-place': Math.min(3, place) },
    h('span', { class: 'who', text: name }),
    h(
      'div',
      { class: 'block' },
      h('span', { text: String(place) }),
      h('small', { text: `${score} point${score === 1 ? '' : 's'}` }),
    ),
  );
}
