/** The scores over a match, in a real browser. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { startTv } from '../support/tv.js';
import { OUTPUT, shareBrowser } from './browser.js';
import { misfits } from './text-fit.js';

const browser = shareBrowser();
const TEAMS = [
  { slot: 0, name: 'Tigers', color: '#ff9f43', score: 1, winner: false },
  { slot: 1, name: 'Sharks', color: '#4aa3ff', score: 0, winner: false },
];
const WAVES = { extra: ['spareShips', 'left', 'teamScore'], rounds: 10, round: 'Wave' };

/** Runs in the page: shows the scores of a match. @param {any} match */
async function showScores({ players, teams, view }) {
  const { Scoreboard } = await import(/** @type {any} */ ('/screen/scoreboard.js'));
  document.body.classList.add('playing');
  for (const name of ['lobby', 'stage']) {
    /** @type {HTMLElement} */ (document.getElementById(name)).hidden = name === 'lobby';
  }
  const frame = { phase: 1, seconds: 111, round: 10, extra: [12, 1200, 1800] };
  new Scoreboard().update(frame, players, view, teams);
}

for (const [title, count, teams, view] of /** @type {const} */ ([
  ['two players whose phones are away', 2, [], WAVES],
  ['four players whose phones are away', 4, [], WAVES],
  ['five players in waves', 5, [], WAVES],
  ['eight players in waves', 8, [], WAVES],
  ['two teams of four', 8, TEAMS, { round: '' }],
])) {
  for (const language of ['en', 'ko']) {
    test(`the short names of ${title} fit at 1280x720 in ${language}`, async (t) => {
      const tv = await startTv(t);
      const screen = await browser().newPage({ viewport: { width: 1280, height: 720 } });
      t.after(() => screen.close());
      await screen.goto(`${tv.url}/?lang=${language}`);
      await screen.locator('.card').first().waitFor();
      const players = Array.from({ length: count }, (_, slot) => ({
        slot,
        name: 'Mum',
        color: PLAYER_COLORS[slot],
        shape: PLAYER_COLORS[slot],
        team: teams.length > 0 ? Math.floor(slot / 4) : -1,
        score: 120,
        alive: true,
        lead: slot % 2 === 0,
        away: count < 5,
        replaced: count < 5,
      }));
      await screen.evaluate(showScores, { players, teams, view });
      await screen.screenshot({
        path: join(OUTPUT, `scores-${count}-${teams.length}-${language}.png`),
      });
      assert.deepEqual(await misfits(screen, '#hud', '.who, .away, b, .round, .time'), []);
    });
  }
}
