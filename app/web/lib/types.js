/**
 * Types of the data that the pages get from the server. This file contains no code.
 *
 * @typedef {ReturnType<typeof import('../../server/client-messages.js').describeGame>} Game an entry of GET /api/games
 * @typedef {Game['view']} GameView
 * @typedef {{name: string, color: string}} TeamView
 * @typedef {import('../../lobby/records.js').News} News
 * @typedef {import('../../lobby/party.js').PartyState} Party
 *
 * @typedef {{id: string | number, name: string, color: string, match?: MatchId | null, connected?: boolean,
 *   away?: boolean}} Player away: the phone does not answer
 * @typedef {string | number} MatchId
 * @typedef {{id: MatchId, game: string, title: string, players: (string | number)[], phase: string}} MatchEntry
 * @typedef {{slot: number, player: Player | null}} Slot
 *
 * @typedef {object} ScreenLobby
 * @property {string} code for people
 * @property {string} linkCode for pages, see app/lobby/join-code.js
 * @property {string} joinUrl
 * @property {string} qr SVG source; empty without a network
 * @property {Player[]} players
 * @property {MatchEntry[]} matches
 * @property {import('../../lobby/capacity.js').Capacity} [capacity]
 * @property {string} [games] changes with the list of games
 * @property {number} [botStrength] of new matches: 0 easy, 1 normal, 2 hard
 * @property {{game: string, by: string}} [starting] see PadLobbyState
 * @property {'pause' | 'continue'} [cutOff] the TV is cut off from most of its fleet: what its matches do
 * @property {string[]} [problems] sentences that describe problems of the TV
 * @property {{games: Record<string, News[]>, awards: News[]}} [records] games: the records of each by id
 * @property {Party | null} [party]
 *
 * @typedef {object} PadLobbyState
 * @property {{id: string, title: string, players: {min: number, max: number}, version: string}[]} games
 * @property {{id: MatchId, game: string, title: string, open: boolean, names: string[], place: number, shown: boolean,
 *   own?: boolean}[]} matches names: of its first players; place: of this player in the line for a seat, 0: not in it;
 *   shown: a screen shows it; own: this player has started it, and may stop it
 * @property {number} players
 * @property {boolean} practice whether the stick moves this player's ball in the lobby of a screen
 * @property {{game: string, by: string}} [starting] the match that is about to start, and the name of who starts it
 * @property {'pause' | 'continue'} [cutOff] see ScreenLobby
 * @property {Omit<Party, 'table' | 'leftMs'> & {points: number, own: boolean} | null} [party] own: this player has
 *   started it, and may end it
 * @property {{match: MatchId | null, name: string, color: string}} me
 */

export {};
