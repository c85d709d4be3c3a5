/**
 * The home of matches, players and games: who may join and see them, and on which TV they run. This one is a TV that is
 * alone; the other implementation is ../fleet/fleet.js. Only create-tv.js knows which one a TV has.
 */
import { PitvError } from '../errors.js';
import { Lobby } from './lobby.js';
import { Party } from './party.js';

/**
 * @typedef {object} StartedTv what a home needs of a TV that can be reached
 * @property {() => string[]} urls addresses for phones
 * @property {(match: import('../match/match.js').Match) => boolean} isWatched whether a screen of this TV shows a match
 * @property {() => string[]} screens hashes of the tokens of the screens that were opened at this TV
 * @property {(hashes: string[]) => void} addScreens recognises the tokens of screens of another TV
 * @property {import('../admin/password-file.js').PasswordFile} password
 *
 * @typedef {object} HomeOptions
 * @property {import('./lobby.js').LobbyOptions} lobby
 * @property {number} [restMs] see Party
 */

const alone = () => new PitvError('PITV_NOT_FOUND', 'This TV belongs to no fleet.');

export class Home {
  /** Name of this TV among others. @type {string | undefined} */
  node = undefined;
  /** Origins of the pages of all TVs, which may read and connect here. @type {string[]} */
  origins = [];
  /** Further fields of lobby messages. @type {object} */
  lobbyState = {};
  /** Sentences about what is wrong, for screens. @type {string[]} */
  notices = [];

  /** @param {HomeOptions} options */
  constructor({ lobby, restMs }) {
    this.lobby = new Lobby(lobby);
    this.party = new Party({ lobby: this.lobby, log: lobby.log, restMs });
  }

  /** Begins to take part. Call it when the TV can be reached. @param {StartedTv} _tv */
  open(_tv) {}

  /** @returns {Promise<void>} */
  async close() {}

  /** Tells whether another TV shows a match, or has a phone that plays it. @param {number} _match id */
  isWanted(_match) {
    return false;
  }

  /**
   * Gives files of this TV's games to others.
   * @param {string} _kind @param {(about: any) => string | Promise<string>} _pathOf checks the request, returns a path
   */
  serveFiles(_kind, _pathOf) {}

  /**
   * Reads a file of a game that only another TV has.
   * @param {import('../packages/catalog.js').Game} _game @param {'art' | 'sounds' | 'preview'} _kind
   * @param {string} _name of the file @param {number} _maxBytes @returns {Promise<Buffer>} not checked
   * @throws {PitvError} PITV_NOT_FOUND, PITV_FLEET_AWAY
   */
  async readFile(_game, _kind, _name, _maxBytes) {
    throw new PitvError('PITV_NOT_FOUND', 'There is no such file.');
  }

  /** @param {import('../server/metrics-registry.js').Writer} _write adds metrics */
  addMetrics(_write) {}

  /** Describes the TVs, and which match runs where. @returns {object} @throws {PitvError} PITV_NOT_FOUND */
  describe() {
    throw alone();
  }

  /**
   * Moves the matches of a TV to others, and has it take no more.
   * @param {string} _node @param {boolean} _on false: it takes matches again
   * @returns {Promise<{matches: number}>} left there
   * @throws {PitvError} PITV_NOT_FOUND, PITV_FLEET_AWAY, PITV_CAPACITY
   */
  async drainNode(_node, _on) {
    throw alone();
  }
}
