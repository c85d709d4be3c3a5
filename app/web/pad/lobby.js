import { byId, byIdAs, h, setText } from '../lib/dom.js';
import { findGame, loadGames, playersText } from '../lib/games.js';
import { text as textOf } from '../lib/language.js';
import { drawPreview } from '../lib/preview.js';
import { endText } from '../lib/reports.js';
import { shapeIcon, showPlayer } from '../lib/shape-icon.js';
import { placeText } from './player-status.js';
import { toast } from '../lib/toast.js';
import { createShareButton } from './result-picture.js';

/** The phone's lobby: starts or joins a game, shows the last result. */

/** @typedef {import('../lib/types.js').PadLobbyState} PadLobbyState */
/** @typedef {import('../lib/types.js').Result} Result */
/** @typedef {import('../lib/types.js').TeamResult} TeamResult */

export class PadLobby {
  #state = '';
  /** The games of the last message, with their versions. */
  #versions = '';
  /** @type {PadLobbyState | null} */
  #lobby = null;
  /** @type {Promise<import('../lib/types.js').Game[]> | null} */
  #games = null;

  /**
   * @param {object} actions
   * @param {(game: string) => void} actions.start
   * @param {(match: import('../lib/types.js').MatchId) => void} actions.join
   * @param {(match: import('../lib/types.js').MatchId) => void} actions.stop
   * @param {() => void} actions.again
   * @param {(name: string) => void} actions.rename
   */
  constructor(actions) {
    this.actions = actions;
    const form = byIdAs('rename-form', HTMLFormElement);
    const field = byIdAs('rename-name', HTMLInputElement);
    byId('rename').onclick = () => {
      form.hidden = !form.hidden;
      field.value = byId('me-name').textContent ?? '';
      if (!form.hidden) field.select();
    };
    form.onsubmit = (event) => {
      event.preventDefault();
      form.hidden = true;
      field.blur();
      const name = field.value.trim();
      if (name) actions.rename(name);
    };
  }

  /** Shows the player. @param {{name: string, color: string}} me */
  setPlayer(me) {
    showPlayer(byId('me-name'), me);
    byId('rename').setAttribute('aria-label', textOf('pad.rename', { name: me.name }));
  }

  /** Shows the state of the lobby. @param {PadLobbyState} lobby */
  update(lobby) {
    this.#lobby = lobby;
    setText(byId('lobby-hint'), hintText(lobby));
    setText(byId('party'), partyText(lobby.party));
    byId('party').hidden = partyText(lobby.party) === '';
    const state = JSON.stringify([lobby.games, lobby.matches]);
    if (state === this.#state) return;
    this.#state = state;
    const versions = JSON.stringify(lobby.games);
    if (versions !== this.#versions) this.#games = null;
    this.#versions = versions;
    const open = lobby.matches.filter((match) => match.open);
    byId('running').replaceChildren(
      ...open.map((match) =>
        h(
          'button',
          {
            class: 'game join',
            type: 'button',
            'data-match': match.id,
            onclick: () => this.actions.join(match.id),
          },
          h('span', { class: 'title', text: joinText(match) }),
          h('span', { class: 'more', text: textOf('pad.runningNow') }),
        ),
      ),
      ...lobby.matches
        .filter(({ own }) => own)
        .map(({ id, game, title }) =>
          h('button', {
            class: 'stop',
            type: 'button',
            text: textOf('pad.stop', { title: titleOf(game, title) }),
            onclick: () => this.actions.stop(id),
          }),
        ),
    );
    setText(byId('games-title'), textOf(open.length > 0 ? 'pad.startOther' : 'pad.start'));
    byId('games').replaceChildren(
      ...lobby.games.map((game) =>
        h(
          'button',
          {
            class: 'game',
            type: 'button',
            'data-game': game.id,
            onclick: () => this.actions.start(game.id),
          },
          h('canvas', { 'aria-hidden': 'true' }),
          h('span', { class: 'title', text: titleOf(game.id, game.title) }),
          h('span', { class: 'more', text: playersText(game.players) }),
        ),
      ),
    );
    this.#drawPreviews();
  }

  async #drawPreviews() {
    this.#games ??= this.#loadGames();
    let games;
    try {
      games = await this.#games;
    } catch {
      this.#games = null; // the names are enough
      return;
    }
    for (const card of byId('games').children) {
      const game = games.find(({ id }) => id === card.getAttribute('data-game'));
      const canvas = card.querySelector('canvas');
      if (game && canvas) drawPreview(canvas, game);
    }
  }

  /** Loads the games, and shows their titles in the page's language. */
  async #loadGames() {
    const games = await loadGames();
    this.#state = '';
    if (this.#lobby) this.update(this.#lobby);
    return games;
  }

  /** Redraws the previews. Call it when the page is shown or resized. */
  redraw() {
    this.#drawPreviews();
  }

  /**
   * Shows the result of a match.
   * @param {{id: string | number}} me
   * @param {{match: import('../lib/types.js').MatchId, reason: string, message?: string, results?: Result[],
   *   teams?: TeamResult[], game: string}} end game: its
   *   title
   * @param {import('../lib/types.js').TeamView[]} [names] the game's teams in the page's language
   */
  showResult(me, end, names = []) {
    const { reason, game, teams = [] } = end;
    const results = (end.results ?? []).map((result) => ({
      ...result,
      name: result.player === null ? textOf('bot') : result.name,
    }));
    const mine = results.findIndex(({ player }) => player === me.id);
    const title = reason !== 'done' || mine < 0 ? endText(end) : outcome(results, mine, teams);
    const failed = reason === 'failed';
    byId('result').replaceChildren(
      h('h3', { text: failed ? textOf('pad.sorry') : title }),
      ...(failed ? [h('p', { text: title })] : []),
      h(
        'ol',
        {},
        ...teams
          .map((team, i) => ({ ...team, name: names[i]?.name ?? team.name }))
          .sort((a, b) => b.score - a.score)
          .map(({ name, color, score }) =>
            h(
              'li',
              { class: 'team', color },
              h('span', { text: name }),
              h('b', { text: String(score) }),
            ),
          ),
        ...results.map(({ name, color, team, score }, i) =>
          h(
            'li',
            { class: i === mine ? 'mine' : '', color: teams[team ?? -1]?.color ?? color },
            shapeIcon(color),
            h('span', { text: name }),
            h('b', { text: String(score) }),
          ),
        ),
      ),
      h('button', {
        class: 'primary',
        type: 'button',
        text: textOf('pad.again'),
        onclick: this.actions.again,
      }),
      ...(reason === 'done' ? [createShareButton({ game, headline: title, lines: results })] : []),
      h('button', {
        class: 'share',
        type: 'button',
        text: textOf('replay.watch'),
        onclick: () => void watchReplay(end.match),
      }),
    );
    byId('result').hidden = false;
    byId('lobby').scrollTop = 0;
  }

  hideResult() {
    byId('result').hidden = true;
  }
}

/** Plays the last seconds of a match over the page. @param {import('../lib/types.js').MatchId} match */
export async function watchReplay(match) {
  const { ReplayPlayer, loadReplay, replayProblem } = await import('../replay/player.js');
  try {
    new ReplayPlayer(await loadReplay(match));
  } catch (error) {
    toast(replayProblem(error), 'error');
  }
}

/** @param {PadLobbyState} lobby */
const hintText = ({ players }) =>
  players > 1 ? textOf('pad.together', { count: players }) : textOf('pad.invite');

/**
 * Describes the party to its player.
 * @param {PadLobbyState['party']} party @returns {string} '' without one, and during a game
 */
function partyText(party) {
  if (!party || party.phase === 'playing') return '';
  const points = textOf('points', { count: party.points });
  if (party.phase === 'over') return textOf('pad.party.over', { points });
  return textOf('pad.party.next', { title: titleOf(String(party.next), ''), points });
}

/**
 * Returns a game's title in the page's language.
 * @param {string} id @param {string} title used until the games are loaded
 */
const titleOf = (id, title) => findGame(id)?.title ?? title;

/** @param {PadLobbyState['matches'][number]} match */
const joinText = ({ game, title }) => textOf('pad.joinMatch', { title: titleOf(game, title) });

/**
 * Describes how a match went for a player.
 * @param {Result[]} results @param {number} mine index in `results` @param {TeamResult[]} teams
 * @returns {string}
 */
function outcome(results, mine, teams) {
  if (results[mine].winner) return textOf('pad.won');
  const isWon = [...results, ...teams].some(({ winner }) => winner);
  if (!isWon) return textOf(teams.length > 0 ? 'stage.draw' : 'stage.gameOver');
  if (teams.length === 2) return textOf('pad.lost');
  return textOf('pad.came', { place: placeText(placeOf(results[mine], results, teams)) });
}

/**
 * Returns the place of a player, or of the player's team; equal scores share one.
 * @param {Result} result @param {Result[]} results @param {TeamResult[]} teams
 */
function placeOf(result, results, teams) {
  const own = teams[result.team ?? -1];
  const all = own ? teams : results;
  return 1 + all.filter(({ score }) => score > (own ?? result).score).length;
}
