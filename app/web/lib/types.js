/**
 * What the pages get from the server, as types. Nothing here runs.
 *
 * @typedef {object} KindView how one kind of body looks
 * @property {string} name
 * @property {string} look a name in LOOKS (looks.js); an unknown one is drawn by its shape
 * @property {string} color '#rrggbb', used for bodies without an owner
 * @property {boolean | number} [glow] a halo; a number is its strength, 1 = usual
 *
 * @typedef {object} EventView what one type of event shows and sounds like
 * @property {string} name
 * @property {string} [effect] 'burst' | 'flash' | 'ring'
 * @property {string} [sound] a name in SOUNDS (sound.js)
 * @property {number} [rumbleMs]
 *
 * @typedef {object} GameView
 * @property {number} width world units
 * @property {number} height world units
 * @property {string} background '#rrggbb'
 * @property {KindView[]} kinds
 * @property {EventView[]} events
 * @property {string[]} [extra] what the frame's four extra numbers are
 * @property {string} [round] what a round is called; 'Round' when left out
 *
 * @typedef {object} Game one entry of GET /api/games
 * @property {string} id
 * @property {string} title
 * @property {string} tagline
 * @property {string[]} rules
 * @property {{min: number, max: number}} players
 * @property {{stick?: string, a?: string, b?: string}} controls
 * @property {GameView} view
 *
 * @typedef {{id: string | number, name: string, color: string, match?: MatchId | null, connected?: boolean}} Player
 * @typedef {string | number} MatchId
 * @typedef {{id: MatchId, game: string, title: string, players: (string | number)[], phase: string}} MatchEntry
 * @typedef {{max: number, running: number, why: string}} Capacity
 * @typedef {{slot: number, player: Player | null}} Slot
 * @typedef {{player: string | number | null, name: string, color: string, score: number, winner: boolean}} Result
 *
 * @typedef {object} ScreenLobby
 * @property {string} code
 * @property {string[]} urls
 * @property {string} joinUrl
 * @property {string} qr an SVG element as text
 * @property {Player[]} players
 * @property {MatchEntry[]} matches
 * @property {Capacity} [capacity]
 * @property {string[]} [problems] what is wrong with the TV, in sentences
 *
 * @typedef {object} PadLobbyState
 * @property {{id: string, title: string, players: {min: number, max: number}}[]} games
 * @property {{id: MatchId, title: string, open: boolean}[]} matches
 * @property {number} players
 * @property {{match: MatchId | null, name: string, color: string}} me
 *
 * @typedef {object} Hud what a phone shows about its player
 * @property {number} score
 * @property {number} rank 1 = first
 * @property {boolean} alive
 * @property {number} gauge 0..255, 255 = ready
 * @property {number} phase one of PHASE
 * @property {number} round
 * @property {number} seconds left in this phase
 * @property {boolean} winner
 */

export {};
