/**
 * Limits on players, screens and matches. A client is an IPv4 address, a /64 of global IPv6, or a local IPv6 address
 * (client-key.js).
 */
import { limit, rate } from './rows.js';

export const matchLimits = Object.freeze({
  // Join codes, players and screens
  rememberedAddresses: limit(10_000, 'addresses', {
    bounds: 'Addresses whose use of a rate is remembered, for each rate',
    effect: 'nothing: the least recently used is forgotten',
  }),
  // Allows a few typing errors at once. 14 million guesses take 2.7 years.
  wrongCodes: rate(1 / 6, 10, 'codes', {
    bounds: 'Wrong join codes of an address',
    effect: '`PITV_CODE_LOCKED`, status 429',
  }),
  // 14 million guesses take 1.8 years.
  wrongCodesPerNetwork: rate(1 / 4, 100, 'codes', {
    bounds: 'Wrong join codes of all local addresses of an IPv6 network',
    effect: '`PITV_CODE_LOCKED`, status 429',
  }),
  // 14 million guesses take 11 months, from any number of addresses.
  wrongCodesOfAll: rate(1 / 2, 200, 'codes', {
    bounds:
      'Wrong join codes of all addresses, except `127.0.0.1`, `::1` and those from which a right code came',
    effect: '`PITV_CODE_LOCKED`, status 429; the QR code still works',
  }),
  players: limit(64, 'players', {
    bounds: 'Players, including disconnected ones in their grace time',
    effect: '`PITV_PLAYERS_FULL`',
  }),
  padsPerAddress: limit(16, 'players', {
    bounds: 'Players of one address',
    effect: '`PITV_PLAYERS_ADDRESS`',
    option: '--max-pads-per-address',
  }),
  playerGrace: limit(60_000, 'ms', {
    bounds: 'Grace time of a disconnected player',
    effect: 'nothing: the phone has to join with the code again',
  }),
  lobbyPause: limit(200, 'ms', {
    bounds: 'Time between two lobby messages to a client',
    effect: 'one message for all changes in that time',
  }),
  screenTokens: limit(64, 'screens', {
    bounds: 'Remembered screens that are not connected and have no match',
    effect: 'nothing: the oldest one of the address with the most is forgotten',
  }),
  // Matches, their workers and the pictures of games
  matchStarts: rate(1 / 2, 20, 'matches', {
    bounds: 'Matches started from one address, except by the admin',
    effect: '`PITV_START_BUSY`, status 429',
  }),
  emptyMatch: limit(60_000, 'ms', {
    bounds: 'Time of a match without a connected player',
    effect: 'the end of the match, reason `empty`',
  }),
  matchPause: limit(120_000, 'ms', { bounds: 'Time of a pause', effect: 'the match goes on' }),
  pauses: rate(1 / 30, 5, 'pauses', {
    bounds: 'Pauses, and held starts, by the players at one address',
    effect: '`PITV_PAUSE_BUSY`, status 429',
  }),
  screenPauses: rate(1 / 300, 2, 'pauses', {
    bounds: 'Pauses of one match by all screens that may not stop it',
    effect: '`PITV_PAUSE_BUSY`, status 429',
  }),
  unwatchedMatch: limit(60_000, 'ms', {
    bounds: 'Time of a match without pads that no screen watches, except matches of the admin',
    effect: 'the end of the match, reason `empty`',
  }),
  previewPause: limit(30_000, 'ms', {
    bounds: 'Time until a failed picture of a game is made again',
    effect: '`PITV_PREVIEW_FAILED`, status 503',
  }),
  // Replays
  replaySeconds: limit(20, 'seconds', {
    bounds: 'Time of a match that is kept for replays',
    effect: 'a replay begins later',
  }),
  replayBytes: limit(384 * 1024, 'bytes', {
    bounds: 'Memory for the replay of a match',
    effect: 'a replay begins later; there is none of a match with more than 3,400 bodies',
  }),
  allReplayBytes: limit(3 * 1024 * 1024, 'bytes', {
    bounds: 'Memory for the replays of all matches',
    effect: 'the replay of the match with the most begins later',
  }),
  replayKept: limit(120_000, 'ms', {
    bounds: 'Time for which the replay of a match is kept after its end',
    effect: '`PITV_MATCH_UNKNOWN`, status 404',
  }),
  replayDownloads: limit(32, 'downloads', {
    bounds: 'Downloads of replays at the same time',
    effect: '`PITV_REPLAY_BUSY`, status 503',
  }),
  replayDownloadsPerAddress: limit(8, 'downloads', {
    bounds: 'Of these, of one address',
    effect: '`PITV_REPLAY_BUSY`, status 503',
  }),
});
