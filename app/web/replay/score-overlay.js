/**
 * Draws what the page shows in HTML elements: the strip with names, scores and time, the countdown, the winner and the
 * podium. Texts and order come from the page's modules.
 */
import { fitText } from '../lib/fit-text.js';
import { PHASE } from '../../game/frame.js';
import { roundedRect } from '../lib/looks.js';
import { fillShape } from '../lib/player-shapes.js';
import { clockText } from '../lib/language.js';
import { LOW_SECONDS, MAX_WIDE_CHIPS, countLeft, roundLine } from '../screen/scoreboard.js';
import {
  arrangePodium,
  matchText,
  pointsText,
  isTogether,
  roundName,
  roundNumber,
  roundText,
} from '../screen/overlay.js';

/** The colours of base.css and scoreboard.css. */
const COLORS = Object.freeze({
  text: '#f5f3ff',
  muted: '#b3addf',
  round: 'rgba(217, 212, 255, 0.8)',
  lead: '#ffd24d',
  low: '#ff6b6b',
  chip: 'rgba(0, 0, 0, 0.6)',
});

/** @typedef {import('../screen/scoreboard.js').Standing} Standing */
/** @typedef {import('../lib/teams.js').TeamStanding} TeamStanding */
/** @typedef {import('../lib/frame-view.js').FrameView} FrameView */

export class ScoreOverlay {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import('../lib/types.js').Game} game
   * @param {number} width px @param {number} height px
   */
  constructor(context, game, width, height) {
    this.context = context;
    this.game = game;
    this.width = width;
    this.height = height;
    /** A hundredth of the width, like the unit vw in the page's style sheet. */
    this.u = width / 100;
  }

  /**
   * Draws the overlay of a frame.
   * @param {FrameView} frame @param {Standing[]} players @param {TeamStanding[]} [teams]
   */
  draw(frame, players, teams = []) {
    this.#strip(frame, players, teams);
    if (frame.phase === PHASE.ready) this.#countdown(frame);
    else if (frame.phase === PHASE.roundOver) {
      this.#shade(0.25);
      const { view } = this.game;
      const text = roundText(players, roundName(view), teams, isTogether(view));
      this.#text(text, 0.5, 0.5, 5, COLORS.text);
    } else if (frame.phase === PHASE.matchOver) this.#podium(players, teams);
  }

  /**
   * Draws a text with a shadow.
   * @param {string} text
   * @param {number} x @param {number} y centre of the text, as a share of the picture
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

  /** Darkens the picture. @param {number} alpha */
  #shade(alpha) {
    this.context.fillStyle = `rgba(5, 4, 15, ${alpha})`;
    this.context.fillRect(0, 0, this.width, this.height);
  }

  /** @param {FrameView} frame @param {Standing[]} players @param {TeamStanding[]} teams */
  #strip(frame, players, teams) {
    const { u, width } = this;
    const many = players.length > MAX_WIDE_CHIPS;
    const half = countLeft(players, teams.length);
    const side = teams.length > 0 ? 30 * u : 36 * u;
    const longer = Math.max(1, half, players.length - half);
    const chipWidth = many ? Math.min(9 * u, side / longer) : 12 * u;
    const gap = 0.6 * u;
    players.forEach((player, i) => {
      const right = i >= half;
      const x = right
        ? width - 1.4 * u - (players.length - i) * (chipWidth + gap) + gap
        : 1.4 * u + i * (chipWidth + gap);
      this.#chip(player, x, chipWidth, frame.phase === PHASE.play && !player.alive);
    });
    const timed = frame.phase === PHASE.play && frame.seconds > 0;
    const scores = teams.map(({ name, score }) =>
      teams.length === 2 ? `${name} ${score}` : `${score}`,
    );
    const round = [...scores, roundLine(frame, this.game.view)].filter(Boolean).join('  ·  ');
    const clock = timed ? clockText(frame.seconds) : '';
    const { context } = this;
    context.font = `700 ${1.35 * u}px system-ui`;
    const roundWidth = context.measureText(round).width;
    context.font = `700 ${2.7 * u}px system-ui`;
    const clockWidth = context.measureText(clock).width;
    const left = (width - roundWidth - clockWidth - (timed ? u : 0)) / 2;
    const middle = (2.2 * u) / this.height;
    this.#text(round, (left + roundWidth / 2) / width, middle, 1.35, COLORS.round);
    if (!timed) return;
    const ink = frame.seconds <= LOW_SECONDS ? COLORS.low : COLORS.text;
    this.#text(clock, (left + roundWidth + u + clockWidth / 2) / width, middle, 2.7, ink);
  }

  /** @param {Standing} player @param {number} x @param {number} width @param {boolean} out */
  #chip(player, x, width, out) {
    const { context, u } = this;
    const y = 0.5 * u;
    const height = 3.4 * u;
    context.globalAlpha = out ? 0.4 : 1;
    roundedRect(context, x, y, width, height, 0.8 * u);
    context.fillStyle = COLORS.chip;
    context.fill();
    context.fillStyle = player.color;
    context.fillRect(x, y + 0.4 * u, 0.45 * u, height - 0.8 * u);
    fillShape(context, player.shape, x + 1.4 * u, y + height / 2, 0.6 * u);
    context.textBaseline = 'middle';
    context.font = `700 ${1.7 * u}px system-ui`;
    const score = String(player.score);
    const scoreWidth = context.measureText(score).width;
    context.textAlign = 'right';
    context.fillText(score, x + width - 0.7 * u, y + height / 2);
    context.textAlign = 'start';
    context.font = `700 ${1.3 * u}px system-ui`;
    context.fillStyle = player.lead ? COLORS.lead : player.bot ? COLORS.muted : COLORS.text;
    const maxWidth = width - scoreWidth - 3.7 * u;
    context.fillText(fitText(context, player.name, maxWidth), x + 2.3 * u, y + height / 2);
    context.globalAlpha = 1;
  }

  /** @param {FrameView} frame */
  #countdown(frame) {
    const { view } = this.game;
    const title = (frame.round > 1 && roundNumber(view, frame.round)) || this.game.title;
    this.#text(title, 0.5, 0.36, 3, COLORS.text);
    const seconds = Math.max(1, Math.ceil(frame.seconds));
    this.#text(String(seconds), 0.5, 0.52, 14, COLORS.text);
  }

  /** @param {Standing[]} players @param {TeamStanding[]} teams */
  #podium(players, teams) {
    this.#shade(0.6);
    const { steps, rest } = arrangePodium(players, teams);
    this.#text(matchText(players, teams), 0.5, 0.2, 5, COLORS.text);
    const { context, u, width, height } = this;
    const step = 18 * u;
    const floor = height * 0.78;
    steps.forEach((player, i) => {
      const x = width / 2 + (i - steps.length / 2) * step;
      const tall = (4 - Math.min(3, player.place)) * 4.5 * u + 2 * u;
      roundedRect(context, x + 0.5 * u, floor - tall, step - u, tall, u);
      context.globalAlpha = 0.85;
      context.fillStyle = player.color;
      context.fill();
      context.globalAlpha = 1;
      const middle = (x + step / 2) / width;
      if (player.shape)
        fillShape(context, player.shape, x + step / 2, floor - tall - 5 * u, 1.2 * u);
      context.font = `700 ${2.2 * u}px system-ui`;
      const name = fitText(context, player.name, 16 * u);
      this.#text(name, middle, (floor - tall - 2 * u) / height, 2.2, player.color);
      this.#text(String(player.place), middle, (floor - tall + 2.6 * u) / height, 3.4, '#ffffff');
      this.#text(pointsText(player.score), middle, (floor - 1.6 * u) / height, 1.5, '#ffffff');
    });
    const others = rest.map(({ name, score }) => `${name} ${score}`);
    this.#text(others.join('   '), 0.5, 0.86, 1.6, COLORS.muted);
  }
}
