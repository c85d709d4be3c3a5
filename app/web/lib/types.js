/**
 * Types of the data that the pages get from the server. This file contains no code.
 *
 * @typedef {object} KindView appearance of a kind of body
 * @property {string} name
 * @property {string} look a key of LOOKS (looks.js); unknown names give a ball or a box
 * @property {string} color '#rrggbb', or 'owner'
 * @property {boolean | number} [glow] a halo; a number is its strength, default 1
 * @property {string} [picture] art/NAME, drawn instead of the look
 *
 * @typedef {object} EventView effect and sound of a type of event
 * @property {string} name
 * @property {string} [effect] 'burst' | 'flash' | 'ring'
 * @property {string} [sound] a key of SOUNDS (sound.js), or sounds/NAME
 * @property {number} [rumbleMs]
 *
 * @typedef {object} GameView
 * @property {number} width world units
 * @property {number} height world units
 * @property {string} background '#rrggbb'
 * @property {KindView[]} kinds
 * @property {EventView[]} events
 * @property {string[]} [extra] names of the frame's four extra numbers
 * @property {string} [round] the word for a round, default 'Round'
 * @property {number} [rounds] how many rounds a match has at most
 *
 * @typedef {{name: string, color: string}} TeamView
 *
 * @typedef {object} Game an entry of GET /api/games
 * @property {string} id
 * @property {string} version changes with the game
 * @property {string} title
 * @property {string} tagline
 * @property {string[]} rules
 * @property {{min: number, max: number}} players
 * @property {{stick?: string, a?: string, b?: string}} controls
 * @property {GameView} view
 * @property {Record<string, GameTexts>} [translations] by language
 * @property {TeamView[]} [teams] two to four
 * @property {{name: string, of: 'score' | 'round' | 'extra' | 'time'}[]} [records]
 *
 * @typedef {Pick<Game, 'title' | 'tagline' | 'rules' | 'controls'> & {round?: string, teams?: string[],
 *   records?: string[]}} GameTexts teams and records: their names
 *
 * @typedef {object} News a record or an achievement, see app/lobby/records.js
 * @property {{id?: string | number, name: string, color: string}[]} people
 * @property {'close' | 'losses' | 'bots' | 'late' | 'draw'} [award]
 * @property {number} [record] index in the game's records; their number for the matches won in a row
 * @property {'ever' | 'week' | 'evening'} [span]
 * @property {number} [value]
 *
 * @typedef {{id: string | number, name: string, color: string, match?: MatchId | null, connected?: boolean,
 *   away?: boolean}} Player away: the phone does not answer
 * @typedef {string | number} MatchId
 * @typedef {{id: MatchId, game: string, title: string, players: (string | number)[], phase: string}} MatchEntry
 * @typedef {{max: number, running: number, why: string, limit: 'setting' | 'memory' | 'cores'}} Capacity
 * @typedef {{slot: number, player: Player | null}} Slot
 * @typedef {{player: string | number | null, name: string, color: string, score: number, winner: boolean,
 *   team?: number}} Result team: in a game with teams
 * @typedef {{name: string, color: string, score: number, winner: boolean}} TeamResult
 *
 * @typedef {object} ScreenLobby
 * @property {string} code for people
 * @property {string} linkCode for pages, see app/lobby/join-code.js
 * @property {string[]} urls
 * @property {string} joinUrl
 * @property {string} qr SVG source; empty without a network
 * @property {Player[]} players
 * @property {MatchEntry[]} matches
 * @property {Capacity} [capacity]
 * @property {string} [games] changes with the list of games
 * @property {number} [botStrength] of new matches: 0 easy, 1 normal, 2 hard
 * @property {{game: string, by: string}} [starting] see PadLobbyState
 * @property {'pause' | 'continue'} [cutOff] the TV is cut off from most of its fleet: what its matches do
 * @property {string[]} [problems] sentences that describe problems of the TV
 * @property {{games: Record<string, News[]>, awards: News[]}} [records] games: the records of each by id
 * @property {Party & {table: {player: string | number, name: string, color: string, points: number}[]} | null} [party]
 *
 * @typedef {object} PadLobbyState
 * @property {{id: string, title: string, players: {min: number, max: number}, version: string}[]} games
 * @property {{id: MatchId, game: string, title: string, open: boolean, names: string[], place: number, shown: boolean,
 *   own?: boolean}[]} matches names: of its first players; place: of this player in the line for a seat, 0: not in it;
 *   shown: a screen shows it; own: this player has started it, and may stop it
 * @property {number} players
 * @property {{game: string, by: string}} [starting] the match that is about to start, and the name of who starts it
 * @property {'pause' | 'continue'} [cutOff] see ScreenLobby
 * @property {Party & {points: number, own: boolean} | null} [party] own: this player has started it, and may end it
 * @property {{match: MatchId | null, name: string, color: string}} me
 *
 * @typedef {object} Party several games in turn with one table of points
 * @property {'playing' | 'resting' | 'over'} phase
 * @property {number} played number of finished games
 * @property {number} games number of all games
 * @property {string | null} next id of the next game, or of the one that is played
 * @property {number} restMs length of the pause between two games
 *
 * @typedef {object} Hud state of a player on the phone
 * @property {number} score
 * @property {number} rank 1 = first
 * @property {boolean} alive
 * @property {number} gauge 0..255, 255 is full
 * @property {number} phase one of PHASE
 * @property {number} round
 * @property {number} seconds left in the phase
 * @property {boolean} winner
 * @property {boolean} [lost] at the end of a match that nobody has won
 * @property {number} [team] in a game with teams
 * @property {number[]} [teamScores] by team
 */

export {};
