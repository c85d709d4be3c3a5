import { button, byId, fill, h, saveFile } from '../lib/dom.js';
import { contextOf, createCanvas, fitText } from '../lib/canvas.js';
import { isDraw } from '../../game/frame-reader.js';
import { text as textOf } from '../lib/language.js';
import { fillShape, shapeIcon } from '../lib/player-shapes.js';
import { endText } from '../lib/reports.js';
import { ReplayWindow } from '../replay/window.js';
import { placeText } from './player-status.js';

/** The result of the last match, in the phone's lobby, and as a picture. */

/** Width and height of the picture, px. */
const SIZE = 1080;
const MARGIN = 90;
const MAX_LINES = 8;
const LINE_HEIGHT = 84;
const FIRST_LINE_Y = 350;

/** @typedef {import('../../match/results.js').Result} Result */
/** @typedef {import('../../match/results.js').TeamResult} TeamResult */

export class PadResult {
  #replay = new ReplayWindow();

  /** @param {() => void} again plays the game again */
  constructor(again) {
    this.again = again;
  }

  /**
   * Shows the result of a match.
   * @param {{id: string | number}} me
   * @param {{match: import('../lib/types.js').MatchId, reason: string, message?: string, results?: Result[],
   *   teams?: TeamResult[], game: string, notes: string[]}} end game: its title; notes: sentences about what the player
   *   has achieved
   * @param {import('../lib/types.js').TeamView[]} [names] the game's teams in the page's language
   */
  show(me, end, names = []) {
    const { reason, game, notes, teams = [] } = end;
    const results = (end.results ?? []).map((result) => ({
      ...result,
      name: result.player === null ? textOf('bot') : result.name,
    }));
    const mine = results.findIndex(({ player }) => player === me.id);
    const title = reason !== 'done' || mine < 0 ? endText(end) : outcome(results, mine, teams);
    const picture = { game, headline: title, lines: results };
    const teamLines = teams
      .map((team, i) => ({ ...team, name: names[i]?.name ?? team.name }))
      .sort((a, b) => b.score - a.score)
      .map((team) => line('team', team.color, team));
    const playerLines = results.map((result, i) => {
      const color = teams[result.team ?? -1]?.color ?? result.color;
      return line(i === mine ? 'mine' : '', color, result, shapeIcon(result.color));
    });
    fill(
      byId('result'),
      h('h3', title),
      notes.map((text) => h('p.muted', text)),
      h('ol', teamLines, playerLines),
      button(textOf('pad.again'), this.again, 'primary'),
      reason === 'done' && button(textOf('pad.share'), () => shareResult(picture), 'share'),
      button(textOf('replay.watch'), () => this.#replay.open(end.match), 'share'),
    );
    byId('result').hidden = false;
    byId('lobby').scrollTop = 0;
  }

  /** Hides it, and its replay. */
  hide() {
    this.#replay.close();
    byId('result').hidden = true;
  }
}

/** @param {string} look @param {string} color @param {{name: string, score: number}} one @param {...Node} icon */
const line = (look, color, { name, score }, ...icon) =>
  h('li', { class: `line ${look}`, color }, icon, h('span.cut', name), h('b', score));

/**
 * Describes how a match went for a player.
 * @param {Result[]} results @param {number} mine index in `results` @param {TeamResult[]} teams
 * @returns {string}
 */
function outcome(results, mine, teams) {
  if (results[mine].winner) return textOf(isDraw(results, teams) ? 'stage.draw' : 'pad.won');
  const isWon = [...results, ...teams].some(({ winner }) => winner);
  if (!isWon) return textOf(teams.length > 0 ? 'stage.draw' : 'stage.gameOver');
  if (teams.length === 2) return textOf('pad.lost');
  // The place of the player, or of the player's team; equal scores share one.
  const own = teams[results[mine].team ?? -1];
  const { score } = own ?? results[mine];
  const place = 1 + (own ? teams : results).filter((one) => one.score > score).length;
  return textOf('pad.came', { place: placeText(place) });
}

/**
 * @typedef {object} ResultPicture
 * @property {string} game its title
 * @property {string} headline
 * @property {{name: string, color: string, score: number, winner: boolean}[]} lines best first
 */

/**
 * Shares the picture. Browsers share files on pages with HTTPS only; elsewhere, and where the player's browser shares
 * no files, the picture is downloaded.
 * @param {ResultPicture} picture
 */
async function shareResult(picture) {
  const canvas = createCanvas(SIZE, SIZE);
  drawResult(canvas, picture);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) return;
  await saveFile(new File([blob], 'pitv-result.png', { type: blob.type }));
}

/** @param {HTMLCanvasElement} canvas @param {ResultPicture} picture */
function drawResult(canvas, { game, headline, lines }) {
  const context = contextOf(canvas);
  const font = getComputedStyle(document.body).fontFamily;
  const right = SIZE - MARGIN;
  /**
   * @param {string} text @param {number} x @param {number} y @param {string} style weight and size
   * @param {string} color @param {number} width
   */
  const write = (text, x, y, style, color, width) => {
    context.font = `${style} ${font}`;
    context.fillStyle = color;
    context.fillText(fitText(context, text, width), x, y);
  };
  const background = context.createLinearGradient(0, 0, 0, SIZE);
  background.addColorStop(0, '#2a1d6b');
  background.addColorStop(1, '#0b0822');
  context.fillStyle = background;
  context.fillRect(0, 0, SIZE, SIZE);
  context.textBaseline = 'middle';
  write(game, MARGIN, 130, '600 52px', '#b9b2e6', SIZE - 2 * MARGIN);
  write(headline, MARGIN, 226, '800 84px', '#ffffff', SIZE - 2 * MARGIN);
  lines.slice(0, MAX_LINES).forEach(({ name, color, score, winner }, i) => {
    const y = FIRST_LINE_Y + i * LINE_HEIGHT;
    if (winner) {
      const top = y - LINE_HEIGHT / 2 + 4;
      context.fillStyle = '#ffffff1f';
      context.fillRect(MARGIN - 24, top, SIZE - 2 * MARGIN + 48, LINE_HEIGHT - 8);
    }
    context.fillStyle = color;
    fillShape(context, color, MARGIN + 26, y, 26);
    context.textAlign = 'right';
    write(String(score), right, y, '700 48px', '#ffffff', 240);
    context.textAlign = 'left';
    write(name, MARGIN + 80, y, `${winner ? 700 : 500} 48px`, '#ffffff', right - MARGIN - 340);
  });
  write('pitv', MARGIN, SIZE - 60, '800 40px', '#7d74b8', 300);
}
