/**
 * Draws what the page has as HTML around and over the world: the strip with names, scores and time,
 * the countdown, the winner and the podium. Texts and order come from the page's own modules.
 */
import { PHASE } from '../../web/lib/frame.js';
import { roundedRect } from '../../web/lib/looks.js';
import { clockText, roundLine } from '../../web/screen/scoreboard.js';
import { matchText, ranking, roundText } from '../../web/screen/overlay.js';

/** More players than this get narrow chips. */
const FEW = 4;
const LOW_SECONDS = 10;
const PODIUM_PLACES = 3;
const INK = Object.freeze({
  text: '#f5f3ff',
  muted: '#b3addf',
  round: 'rgba(217, 212, 255, 0.8)',
  lead: '#ffd24d',
  low: '#ff6b6b',
  chip: 'rgba(0, 0, 0, 0.6)',
});

/** @typedef {import('../../web/screen/scoreboard.js').Standing} Standing */
/** @typedef {import('../../web/lib/frame-view.js').FrameView} FrameView */

export class ScoreOverlay {
  /**
   * @param {import('../canvas/canvas.js').Context} context
   * @param {import('../../web/lib/types.js').Game} game
   * @param {number} width px @param {number} height px
   */
  constructor(context, game, width, height) {
    this.context = context;
    this.game = game;
    this.width = width;
    this.height = height;
    /** A hundredth of the width: the unit of the page's style sheet. */
    this.u = width / 100;
  }

  /** @param {FrameView} frame @param {Standing[]} players */
  draw(frame, players) {
    this.#strip(frame, players);
    if (frame.phase === PHASE.ready) this.#countdown(frame);
    else if (frame.phase === PHASE.roundOver) {
      this.#shade(0.25);
      this.#text(roundText(players, this.#round), 0.5, 0.5, 5, INK.text);
    } else if (frame.phase === PHASE.matchOver) this.#podium(players);
  }

  get #round() {
    return this.game.view.round ?? 'Round';
  }

  /**
   * @param {string} text @param {number} x @param {number} y share of the picture, the text's middle
   * @param {number} size in u @param {string} color
   */
  #text(text, x, y, size, color) {
    const { context, u } = this;
    const place = /** @type {const} */ ([x * this.width, y * this.height]);
    context.font = `700 ${size * u}px system-ui`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = 'rgba(0, 0, 0, 0.55)';
    context.fillText(text, place[0] + 0.12 * u, place[1] + 0.2 * u);
    context.fillStyle = color;
    context.fillText(text, ...place);
  }

  /** @param {number} alpha of the dark over the world */
  #shade(alpha) {
    this.context.fillStyle = `rgba(5, 4, 15, ${alpha})`;
    this.context.fillRect(0, 0, this.width, this.height);
  }

  /** @param {FrameView} frame @param {Standing[]} players */
  #strip(frame, players) {
    const { u, width } = this;
    const many = players.length > FEW;
    const half = Math.ceil(players.length / 2);
    const chipWidth = many ? Math.min(9 * u, (36 * u) / Math.max(1, half)) : 12 * u;
    const gap = 0.6 * u;
    players.forEach((player, i) => {
      const right = i >= half;
      const x = right
        ? width - 1.4 * u - (players.length - i) * (chipWidth + gap) + gap
        : 1.4 * u + i * (chipWidth + gap);
      this.#chip(player, x, chipWidth, frame.phase === PHASE.play && !player.alive);
    });
    const timed = frame.phase === PHASE.play && frame.seconds > 0;
    const round = roundLine(frame, this.game.view);
    const clock = timed ? clockText(frame.seconds) : '';
    const { context } = this;
    context.font = `700 ${1.35 * u}px system-ui`;
    const roundWidth = context.measureText(round).width;
    context.font = `700 ${2.7 * u}px system-ui`;
    const clockWidth = context.measureText(clock).width;
    const left = (width - roundWidth - clockWidth - (timed ? u : 0)) / 2;
    const middle = (2.2 * u) / this.height;
    this.#text(round, (left + roundWidth / 2) / width, middle, 1.35, INK.round);
    if (!timed) return;
    const ink = frame.seconds <= LOW_SECONDS ? INK.low : INK.text;
    this.#text(clock, (left + roundWidth + u + clockWidth / 2) / width, middle, 2.7, ink);
  }

  /** @param {Standing} player @param {number} x @param {number} width @param {boolean} out */
  #chip(player, x, width, out) {
    const { context, u } = this;
    const y = 0.5 * u;
    const height = 3.4 * u;
    context.globalAlpha = out ? 0.4 : 1;
    roundedRect(/** @type {any} */ (context), x, y, width, height, 0.8 * u);
    context.fillStyle = INK.chip;
    context.fill();
    context.fillStyle = player.color;
    context.fillRect(x, y + 0.4 * u, 0.45 * u, height - 0.8 * u);
    context.textBaseline = 'middle';
    context.font = `700 ${1.7 * u}px system-ui`;
    const score = String(player.score);
    const scoreWidth = context.measureText(score).width;
    context.textAlign = 'right';
    context.fillText(score, x + width - 0.7 * u, y + height / 2);
    context.textAlign = 'start';
    context.font = `700 ${1.3 * u}px system-ui`;
    const name = `${player.lead ? '★ ' : ''}${player.name}`;
    context.fillStyle = player.lead ? INK.lead : player.bot ? INK.muted : INK.text;
    const room = width - scoreWidth - 2.4 * u;
    context.fillText(this.#cut(name, room), x + 1 * u, y + height / 2);
    context.globalAlpha = 1;
  }

  /** @param {string} text @param {number} room px @returns {string} what of it fits */
  #cut(text, room) {
    if (this.context.measureText(text).width <= room) return text;
    const letters = [...text];
    while (letters.length > 1 && this.context.measureText(`${letters.join('')}…`).width > room)
      letters.pop();
    return `${letters.join('')}…`;
  }

  /** @param {FrameView} frame */
  #countdown(frame) {
    const title = frame.round > 1 ? `${this.#round} ${frame.round}` : this.game.title;
    this.#text(title, 0.5, 0.36, 3, INK.text);
    const seconds = Math.max(1, Math.ceil(frame.seconds));
    this.#text(String(seconds), 0.5, 0.52, 14, INK.text);
  }

  /** @param {Standing[]} players */
  #podium(players) {
    this.#shade(0.6);
    const ranked = ranking(players);
    this.#text(matchText(players), 0.5, 0.2, 5, INK.text);
    const top = ranked.slice(0, PODIUM_PLACES);
    const order = top.length === 3 ? [top[1], top[0], top[2]] : top;
    const { context, u, width, height } = this;
    const step = 18 * u;
    const floor = height * 0.78;
    order.forEach((player, i) => {
      const x = width / 2 + (i - order.length / 2) * step;
      const tall = (4 - Math.min(3, player.place)) * 4.5 * u + 2 * u;
      roundedRect(/** @type {any} */ (context), x + 0.5 * u, floor - tall, step - u, tall, u);
      context.globalAlpha = 0.85;
      context.fillStyle = player.color;
      context.fill();
      context.globalAlpha = 1;
      const middle = (x + step / 2) / width;
      this.#text(this.#name(player), middle, (floor - tall - 2 * u) / height, 2.2, player.color);
      this.#text(String(player.place), middle, (floor - tall + 2.6 * u) / height, 3.4, '#ffffff');
      const points = `${player.score} point${player.score === 1 ? '' : 's'}`;
      this.#text(points, middle, (floor - 1.6 * u) / height, 1.5, '#ffffff');
    });
    const rest = ranked.slice(PODIUM_PLACES).map(({ name, score }) => `${name} ${score}`);
    this.#text(rest.join('   '), 0.5, 0.86, 1.6, INK.muted);
  }

  /** @param {Standing} player */
  #name(player) {
    this.context.font = `700 ${2.2 * this.u}px system-ui`;
    return this.#cut(player.name, 16 * this.u);
  }
}
