/**
 * Draws what the page shows in HTML elements: the strip with names, scores and time, the countdown, the winner and the
 * podium. Texts and order come from the page's modules.
 */
import { FONT, fillPath, fitText, roundedRect } from '../lib/canvas.js';
import { PHASE } from '../../game/frame.js';
import { fillShape } from '../lib/player-shapes.js';
import { clockText } from '../lib/language.js';
import { LOW_SECONDS, MAX_WIDE_CHIPS, countLeft, roundLine } from '../screen/scoreboard.js';
import { arrangePodium, matchText, pointsText, roundNumber, roundText } from '../screen/overlay.js';

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

/**
 * Makes the overlay of a replay.
 * @param {CanvasRenderingContext2D} context
 * @param {import('../lib/types.js').Game} game
 * @param {number} width px @param {number} height px
 * @returns {(frame: FrameView, players: Standing[], teams: TeamStanding[]) => void} draws the overlay of a frame
 */
export function createOverlay(context, game, width, height) {
  /** A hundredth of the width, like the unit vw in the page's style sheet. */
  const u = width / 100;
  const { view } = game;

  /**
   * Draws a text with a shadow.
   * @param {string} text @param {number} x @param {number} y its centre, px
   * @param {number} size in u @param {string} color
   */
  function write(text, x, y, size, color) {
    context.font = `700 ${size * u}px ${FONT}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = 'rgba(0, 0, 0, 0.55)';
    context.fillText(text, x + 0.12 * u, y + 0.2 * u);
    context.fillStyle = color;
    context.fillText(text, x, y);
  }

  /** Returns the width of a text, px. @param {string} text @param {number} size in u */
  function measure(text, size) {
    context.font = `700 ${size * u}px ${FONT}`;
    return context.measureText(text).width;
  }

  /** Darkens the picture. @param {number} alpha */
  function darken(alpha) {
    context.fillStyle = `rgba(5, 4, 15, ${alpha})`;
    context.fillRect(0, 0, width, height);
  }

  /** @param {FrameView} frame @param {Standing[]} players @param {TeamStanding[]} teams */
  function drawStrip(frame, players, teams) {
    const many = players.length > MAX_WIDE_CHIPS;
    const half = countLeft(players, teams.length);
    const side = teams.length > 0 ? 30 * u : 36 * u;
    const longer = Math.max(1, half, players.length - half);
    const chipWidth = many ? Math.min(9 * u, side / longer) : 12 * u;
    const gap = 0.6 * u;
    const isPlay = frame.phase === PHASE.play;
    players.forEach((player, i) => {
      const fromEdge = 1.4 * u + (i < half ? i : players.length - 1 - i) * (chipWidth + gap);
      const x = i < half ? fromEdge : width - fromEdge - chipWidth;
      drawChip(player, x, chipWidth, isPlay && !player.alive);
    });
    const timed = isPlay && frame.seconds > 0;
    const scores = teams.map(({ name, score }) =>
      teams.length === 2 ? `${name} ${score}` : score,
    );
    const round = [...scores, roundLine(frame, view)].filter((part) => part !== '').join('  ·  ');
    const clock = timed ? clockText(frame.seconds) : '';
    const roundWidth = measure(round, 1.35);
    const clockWidth = measure(clock, 2.7);
    const left = (width - roundWidth - clockWidth - (timed ? u : 0)) / 2;
    write(round, left + roundWidth / 2, 2.2 * u, 1.35, COLORS.round);
    if (!timed) return;
    const ink = frame.seconds <= LOW_SECONDS ? COLORS.low : COLORS.text;
    write(clock, left + roundWidth + u + clockWidth / 2, 2.2 * u, 2.7, ink);
  }

  /** @param {Standing} player @param {number} x @param {number} wide @param {boolean} out */
  function drawChip(player, x, wide, out) {
    const y = 0.5 * u;
    const tall = 3.4 * u;
    context.globalAlpha = out ? 0.4 : 1;
    roundedRect(context, x, y, wide, tall, 0.8 * u);
    fillPath(context, COLORS.chip);
    context.fillStyle = player.color;
    context.fillRect(x, y + 0.4 * u, 0.45 * u, tall - 0.8 * u);
    fillShape(context, player.shape, x + 1.4 * u, y + tall / 2, 0.6 * u);
    context.textBaseline = 'middle';
    const score = String(player.score);
    const scoreWidth = measure(score, 1.7);
    context.textAlign = 'right';
    context.fillText(score, x + wide - 0.7 * u, y + tall / 2);
    context.textAlign = 'start';
    context.font = `700 ${1.3 * u}px ${FONT}`;
    context.fillStyle = player.lead ? COLORS.lead : player.bot ? COLORS.muted : COLORS.text;
    const maxWidth = wide - scoreWidth - 3.7 * u;
    context.fillText(fitText(context, player.name, maxWidth), x + 2.3 * u, y + tall / 2);
    context.globalAlpha = 1;
  }

  /** @param {FrameView} frame */
  function drawCountdown(frame) {
    const title = (frame.round > 1 && roundNumber(view, frame.round)) || game.title;
    write(title, width / 2, 0.36 * height, 3, COLORS.text);
    const seconds = Math.max(1, Math.ceil(frame.seconds));
    write(String(seconds), width / 2, 0.52 * height, 14, COLORS.text);
  }

  /** @param {Standing[]} players @param {TeamStanding[]} teams */
  function drawPodium(players, teams) {
    darken(0.6);
    const { steps, rest } = arrangePodium(players, teams);
    write(matchText(players, teams), width / 2, 0.2 * height, 5, COLORS.text);
    const step = 18 * u;
    const floor = height * 0.78;
    steps.forEach((player, i) => {
      const x = width / 2 + (i - steps.length / 2) * step;
      const tall = (4 - Math.min(3, player.place)) * 4.5 * u + 2 * u;
      roundedRect(context, x + 0.5 * u, floor - tall, step - u, tall, u);
      context.globalAlpha = 0.85;
      fillPath(context, player.color);
      context.globalAlpha = 1;
      const middle = x + step / 2;
      if (player.shape) fillShape(context, player.shape, middle, floor - tall - 5 * u, 1.2 * u);
      context.font = `700 ${2.2 * u}px ${FONT}`;
      const name = fitText(context, player.name, 16 * u);
      write(name, middle, floor - tall - 2 * u, 2.2, player.color);
      write(String(player.place), middle, floor - tall + 2.6 * u, 3.4, '#ffffff');
      write(pointsText(player.score), middle, floor - 1.6 * u, 1.5, '#ffffff');
    });
    const others = rest.map(({ name, score }) => `${name} ${score}`);
    write(others.join('   '), width / 2, 0.86 * height, 1.6, COLORS.muted);
  }

  return (frame, players, teams) => {
    drawStrip(frame, players, teams);
    if (frame.phase === PHASE.ready) drawCountdown(frame);
    else if (frame.phase === PHASE.roundOver) {
      darken(0.25);
      write(roundText(players, view, teams), width / 2, height / 2, 5, COLORS.text);
    } else if (frame.phase === PHASE.matchOver) drawPodium(players, teams);
  };
}
