/**
 * Limits on players, screens and matches. A client is an IPv4 address, a /64 of global IPv6, or a local IPv6 address
 * (client-key.js).
 */
import { limit, rate } from './rows.js';

export const matchLimits = Object.freeze({
  // Join codes, players and screens
  rememberedAddresses: limit(
    'Addresses whose use of a rate is remembered, for each rate',
    10_000,
    'addresses',
    'nothing: the least recently used is forgotten',
  ),
  // Allows a few typing errors at once. 14 million guesses take 2.7 years.
  wrongCodes: rate(
    'Wrong join codes of an address',
    1 / 6,
    10,
    'codes',
    '`PITV_CODE_LOCKED`, status 429',
  ),
  // 14 million guesses take 1.8 years.
  wrongCodesPerNetwork: rate(
    'Wrong join codes of all local addresses of an IPv6 network',
    1 / 4,
    100,
    'codes',
    '`PITV_CODE_LOCKED`, status 429',
  ),
  // 14 million guesses take 11 months, from any number of addresses.
  wrongCodesOfAll: rate(
    'Wrong join codes of all addresses, except `127.0.0.1`, `::1` and those from which a right code came',
    1 / 2,
    200,
    'codes',
    '`PITV_CODE_LOCKED`, status 429; the QR code still works',
  ),
  players: limit(
    'Players, including disconnected ones in their grace time',
    64,
    'players',
    '`PITV_PLAYERS_FULL`',
  ),
  padsPerAddress: limit(
    'Players of one address',
    16,
    'players',
    '`PITV_PLAYERS_ADDRESS`',
    '--max-pads-per-address',
  ),
  playerGrace: limit(
    'Grace time of a disconnected player',
    60_000,
    'ms',
    'nothing: the phone has to join with the code again',
  ),
  lobbyPause: limit(
    'Time between two lobby messages to a client',
    200,
    'ms',
    'one message for all changes in that time',
  ),
  screenTokens: limit(
    'Remembered screens that are not connected and have no match',
    64,
    'screens',
    'nothing: the oldest one of the address with the most is forgotten',
  ),
  // Matches, their workers and the pictures of games
  matchStarts: rate(
    'Matches started from one address, except by the admin',
    1 / 2,
    20,
    'matches',
    '`PITV_START_BUSY`, status 429',
  ),
  emptyMatch: limit(
    'Time of a match without a connected player',
    60_000,
    'ms',
    'the end of the match, reason `empty`',
  ),
  matchPause: limit('Time of a pause', 120_000, 'ms', 'the match goes on'),
  pauses: rate(
    'Pauses by the players at one address',
    1 / 30,
    5,
    'pauses',
    '`PITV_PAUSE_BUSY`, status 429',
  ),
  screenPauses: rate(
    'Pauses of one match by all screens that may not stop it',
    1 / 300,
    2,
    'pauses',
    '`PITV_PAUSE_BUSY`, status 429',
  ),
  unwatchedMatch: limit(
    'Time of a match without pads that no screen watches, except matches of the admin',
    60_000,
    'ms',
    'the end of the match, reason `empty`',
  ),
  previewPause: limit(
    'Time until a failed picture of a game is made again',
    30_000,
    'ms',
    '`PITV_PREVIEW_FAILED`, status 503',
  ),
  workerMessageBytes: limit(
    'One message of a child of `pitv/zygote` or `pitv/pool` to the main process',
    1024 * 1024,
    'bytes',
    'nothing: the child is killed',
  ),
  workerReportBytes: limit(
    'One report of a worker of a match: an error, a warning, the description of a game',
    256 * 1024,
    'bytes',
    'nothing: the worker is killed, and another one resumes the match from its checkpoint',
  ),
  workerReportRate: rate(
    'All reports of a worker of a match',
    16 * 1024,
    512 * 1024,
    'bytes',
    '`PITV_WORKER_REPORTS`: the same',
  ),
  workerReports: rate(
    'The same, and how often the main process may have to read them',
    100,
    300,
    'reports',
    '`PITV_WORKER_REPORTS`: the same',
  ),
  // Replays
  replaySeconds: limit(
    'Time of a match that is kept for replays',
    20,
    'seconds',
    'a replay begins later',
  ),
  replayBytes: limit(
    'Memory for the replay of a match',
    384 * 1024,
    'bytes',
    'a replay begins later; there is none of a match with more than 3,400 bodies',
  ),
  allReplayBytes: limit(
    'Memory for the replays of all matches',
    3 * 1024 * 1024,
    'bytes',
    'the replay of the match with the most begins later',
  ),
  replayKept: limit(
    'Time for which the replay of a match is kept after its end',
    120_000,
    'ms',
    '`PITV_MATCH_UNKNOWN`, status 404',
  ),
  replayDownloads: limit(
    'Downloads of replays at the same time',
    32,
    'downloads',
    '`PITV_REPLAY_BUSY`, status 503',
  ),
  replayDownloadsPerAddress: limit(
    'Of these, of one address',
    8,
    'downloads',
    '`PITV_REPLAY_BUSY`, status 503',
  ),
});
