/**
 * Lists every limit on what a network client, a saved file or a worker may use. Each limit is one row. The
 * code reads its value here, and docs/operations.md has a table made from the rows (`make docs`).
 */

/**
 * @typedef {{perSecond: number, burst: number}} Rate for a TokenBucket
 *
 * @typedef {object} Limit
 * @property {string} bounds what the limit bounds
 * @property {number | Rate} value in `unit`; the default where an option can change it
 * @property {string} unit
 * @property {string} option the option that changes the limit; empty when none does
 * @property {string} told what the client notices when it reaches the limit
 */

/** @template {Record<string, Limit>} T @param {T} rows @returns {Readonly<T>} */
const table = (rows) => Object.freeze(rows);

export const LIMITS = table({
  // Connections
  clients: {
    bounds: 'Websockets at the same time',
    value: 256,
    unit: 'connections',
    option: '--max-clients',
    told: 'status 503, or the newest connection of the address with the most ends',
  },
  clientsPerAddress: {
    bounds: 'Websockets of one address',
    value: 64,
    unit: 'connections',
    option: '--max-clients-per-address',
    told: 'status 429',
  },
  pageSockets: {
    bounds: 'TCP connections beside the websockets',
    value: 256,
    unit: 'connections',
    option: '',
    told: 'the end of the connection, or of the newest one of the address with the most',
  },
  pageSocketsPerAddress: {
    bounds: 'Of these, from one address',
    value: 64,
    unit: 'connections',
    option: '',
    told: 'the end of the connection',
  },
  // Everybody behind one router reloads: some 6 connections and 40 requests for each browser.
  newSockets: {
    bounds: 'New TCP connections of one address, at once beside `--max-clients-per-address`',
    value: { perSecond: 30, burst: 300 },
    unit: 'connections',
    option: '',
    told: 'the end of the connection',
  },
  refusedMs: {
    bounds: 'Time for the answer to a refused websocket',
    value: 1000,
    unit: 'ms',
    option: '',
    told: 'the end of the connection',
  },
  handshakeMs: {
    bounds: 'Time for the TLS handshake',
    value: 10_000,
    unit: 'ms',
    option: '',
    told: 'the end of the connection',
  },
  unreadMs: {
    bounds: 'Time that a client reads nothing while bytes wait for it',
    value: 20_000,
    unit: 'ms',
    option: '',
    told: 'the end of the connection',
  },
  receiveBytes: {
    bounds:
      'Bytes of a TCP connection that the kernel keeps until the TV reads them, where the addon is built',
    value: 8192,
    unit: 'bytes',
    option: '',
    told: 'nothing: the client sends more slowly',
  },
  // HTTP
  requests: {
    bounds: 'HTTP requests of one address, at once beside `--max-clients-per-address`',
    value: { perSecond: 50, burst: 600 },
    unit: 'requests',
    option: '--max-requests-per-second',
    told: 'status 429, then the end of the connection',
  },
  headersMs: {
    bounds: 'Time for the headers of a request',
    value: 10_000,
    unit: 'ms',
    option: '',
    told: 'status 408',
  },
  requestMs: {
    bounds: 'Time for a whole request',
    value: 30_000,
    unit: 'ms',
    option: '',
    told: 'status 408',
  },
  headerBytes: {
    bounds: 'Headers of a request',
    value: 16384,
    unit: 'bytes',
    option: '',
    told: 'status 431',
  },
  bodyBytes: {
    bounds: 'Body of a request',
    value: 4096,
    unit: 'bytes',
    option: '',
    told: 'status 413',
  },
  pipelined: {
    bounds: 'Requests of a connection without a complete response',
    value: 4,
    unit: 'requests',
    option: '',
    told: 'the end of the connection',
  },
  unfinishedPerAddress: {
    bounds: 'Requests of one address without a complete response',
    value: 64,
    unit: 'requests',
    option: '',
    told: 'the end of the connection',
  },
  // Websocket messages
  hellos: {
    bounds:
      'First messages of the websockets of one address, at once beside `--max-clients-per-address`',
    value: { perSecond: 10, burst: 60 },
    unit: 'messages',
    option: '',
    told: 'close code 1008',
  },
  helloMs: {
    bounds: 'Time for the first message of a websocket',
    value: 5000,
    unit: 'ms',
    option: '',
    told: 'close code 4001',
  },
  helloAgainMs: {
    bounds: 'Time for another one after a wrong code',
    value: 120_000,
    unit: 'ms',
    option: '',
    told: 'close code 4001',
  },
  deadMs: {
    bounds: 'Silence of a websocket client',
    value: 15_000,
    unit: 'ms',
    option: '',
    told: 'the end of the connection',
  },
  frameBacklogBytes: {
    bounds: 'Unsent bytes of a screen before frames are skipped',
    value: 64 * 1024,
    unit: 'bytes',
    option: '',
    told: 'fewer frames',
  },
  textBacklogBytes: {
    bounds: 'Unsent bytes of a websocket before it is closed',
    value: 1024 * 1024,
    unit: 'bytes',
    option: '',
    told: 'the end of the connection',
  },
  messageBytes: {
    bounds: 'One websocket message',
    value: 4096,
    unit: 'bytes',
    option: '',
    told: 'close code 1009',
  },
  messageFragments: {
    bounds: 'Frames of one websocket message',
    value: 16,
    unit: 'frames',
    option: '',
    told: 'close code 1008',
  },
  messageChunks: {
    bounds: 'Pieces in which one websocket frame arrives',
    value: 256,
    unit: 'pieces',
    option: '',
    told: 'close code 1008',
  },
  controls: {
    bounds: 'Pings and pongs of a connection',
    value: { perSecond: 20, burst: 50 },
    unit: 'frames',
    option: '',
    told: 'close code 1008',
  },
  texts: {
    bounds: 'JSON messages of a connection',
    value: { perSecond: 10, burst: 30 },
    unit: 'messages',
    option: '',
    told: 'nothing: the message is dropped',
  },
  inputs: {
    bounds: 'Inputs of a pad',
    value: { perSecond: 130, burst: 60 },
    unit: 'messages',
    option: '',
    told: 'nothing: the newest input is used',
  },
  dropped: {
    bounds: 'Dropped messages of a connection before it is closed',
    value: { perSecond: 20, burst: 400 },
    unit: 'messages',
    option: '',
    told: 'close code 1008',
  },
  goodbyeMs: {
    bounds: 'Time to read the close code of a flood',
    value: 1000,
    unit: 'ms',
    option: '',
    told: 'the end of the connection',
  },
  // Lobby. A client is an IPv4 address, a /64 of global IPv6, or a local IPv6 address: client-key.js.
  rememberedAddresses: {
    bounds: 'Addresses whose use of a rate is remembered, for each rate',
    value: 10_000,
    unit: 'addresses',
    option: '',
    told: 'nothing: the least recently used is forgotten',
  },
  // A few typing errors at once. 14 million codes take 2.7 years.
  wrongCodes: {
    bounds: 'Wrong join codes of an address',
    value: { perSecond: 1 / 6, burst: 10 },
    unit: 'codes',
    option: '',
    told: '`PITV_CODE_LOCKED`, status 429',
  },
  // 14 million codes take 33 days.
  wrongCodesPerNetwork: {
    bounds: 'Wrong join codes of all local addresses of an IPv6 network',
    value: { perSecond: 5, burst: 300 },
    unit: 'codes',
    option: '',
    told: '`PITV_CODE_LOCKED`, status 429',
  },
  players: {
    bounds: 'Players, with those who are away for a moment',
    value: 64,
    unit: 'players',
    option: '',
    told: '`PITV_PLAYERS_FULL`',
  },
  padsPerAddress: {
    bounds: 'Players of one address',
    value: 16,
    unit: 'players',
    option: '--max-pads-per-address',
    told: '`PITV_PLAYERS_ADDRESS`',
  },
  playerGrace: {
    bounds: 'The place of a player whose phone has gone',
    value: 60_000,
    unit: 'ms',
    option: '',
    told: 'nothing: the phone has to join with the code again',
  },
  lobbyPause: {
    bounds: 'Time between two lobby messages to a client',
    value: 200,
    unit: 'ms',
    option: '',
    told: 'one message for all changes meanwhile',
  },
  matchStarts: {
    bounds: 'Matches started from one address, except by the admin',
    value: { perSecond: 1 / 2, burst: 20 },
    unit: 'matches',
    option: '',
    told: '`PITV_START_BUSY`, status 429',
  },
  emptyMatch: {
    bounds: 'A match without a connected player',
    value: 60_000,
    unit: 'ms',
    option: '',
    told: 'the end of the match, reason `empty`',
  },
  unwatchedMatch: {
    bounds: 'A match without pads that no screen watches, except those of the admin',
    value: 60_000,
    unit: 'ms',
    option: '',
    told: 'the end of the match, reason `empty`',
  },
  screenTokens: {
    bounds: 'Remembered screens that are not connected and have no match',
    value: 64,
    unit: 'screens',
    option: '',
    told: 'nothing: the oldest one of the address with the most is forgotten',
  },
  previewPause: {
    bounds: 'Time until a picture of a game that failed is made again',
    value: 30_000,
    unit: 'ms',
    option: '',
    told: '`PITV_PREVIEW_FAILED`, status 503',
  },
  // Clips
  clips: {
    bounds: 'Clips',
    value: 40,
    unit: 'clips',
    option: '',
    told: '`PITV_CLIP_LIMIT`',
  },
  clipsPerAddress: {
    bounds: 'Clips that screens of one address made',
    value: 20,
    unit: 'clips',
    option: '',
    told: '`PITV_CLIP_LIMIT`',
  },
  clipMegabytes: {
    bounds: 'Space of all clips',
    value: 512,
    unit: 'MB',
    option: '--clip-mb',
    told: '`PITV_CLIP_SPACE`',
  },
  clipSharePerAddress: {
    bounds: 'Space of the clips that screens of one address made',
    value: 50,
    unit: '% of `--clip-mb`',
    option: '',
    told: '`PITV_CLIP_SPACE`',
  },
  clipsWaiting: {
    bounds: 'Clips that are recorded, made or wait for it',
    value: 3,
    unit: 'clips',
    option: '',
    told: '`PITV_CLIP_BUSY`',
  },
  clipsWaitingPerAddress: {
    bounds: 'Of these, of one address',
    value: 2,
    unit: 'clips',
    option: '',
    told: '`PITV_CLIP_BUSY`',
  },
  clipDownloads: {
    bounds: 'Downloads of clips at the same time',
    value: 32,
    unit: 'downloads',
    option: '',
    told: '`PITV_CLIP_DOWNLOADS`, status 503',
  },
  clipDownloadsPerAddress: {
    bounds: 'Of these, of one address',
    value: 8,
    unit: 'downloads',
    option: '',
    told: '`PITV_CLIP_DOWNLOADS`, status 503',
  },
  clipPause: {
    bounds: 'Time between two clips of one address',
    value: 1000,
    unit: 'ms',
    option: '',
    told: '`PITV_CLIP_BUSY`',
  },
  // Admin. A million passwords take a year.
  wrongPasswords: {
    bounds: 'Wrong admin passwords of an address',
    value: { perSecond: 1 / 30, burst: 5 },
    unit: 'passwords',
    option: '',
    told: '`PITV_LOGIN_LOCKED`, status 429',
  },
  // Strangers get a tenth of a core for hashing.
  wrongPasswordsOfAll: {
    bounds: 'Wrong admin passwords of all addresses',
    value: { perSecond: 1 / 2, burst: 20 },
    unit: 'passwords',
    option: '',
    told: '`PITV_LOGIN_LOCKED`, status 429',
  },
  waitingLogins: {
    bounds: 'Passwords that wait to be checked',
    value: 8,
    unit: 'requests',
    option: '',
    told: '`PITV_LOGIN_BUSY`, status 503',
  },
  adminSessions: {
    bounds: 'Logged-in admins',
    value: 32,
    unit: 'sessions',
    option: '',
    told: 'nothing: the oldest session is logged out',
  },
  // Native pads
  udpPads: {
    bounds: 'Players with a key for datagrams',
    value: 256,
    unit: 'players',
    option: '',
    told: '`PITV_UDP_FULL`',
  },
  // As often as over a websocket, and more for what the network delivers in a bunch.
  udpInputs: {
    bounds: 'Datagrams of a pad in a second',
    value: 200,
    unit: 'datagrams',
    option: '',
    told: 'nothing: the datagram is dropped',
  },
  // Workers
  workerMessageBytes: {
    bounds: 'One message of a forked worker to the main process',
    value: 1024 * 1024,
    unit: 'bytes',
    option: '',
    told: 'nothing: the worker is killed, and another one resumes the match from its checkpoint',
  },
  // Profiles
  snapshotSeconds: {
    bounds: 'Time that a profile or heap snapshot of the main thread may stop it, as a service',
    value: 600,
    unit: 'seconds',
    option: '',
    told: 'a closed connection: the service manager restarts the TV',
  },
  // Saved files
  savedStateBytes: {
    bounds: 'A saved file about players, the admin, or a clip',
    value: 256 * 1024,
    unit: 'bytes',
    option: '',
    told: 'nothing: the file is renamed to `NAME.bad-N`, and the page says so',
  },
  savedMatchBytes: {
    bounds: 'A saved match',
    value: 16 * 1024 * 1024,
    unit: 'bytes',
    option: '',
    told: 'nothing: the file is renamed to `NAME.bad-N`, and the page says so',
  },
  savedPictureBytes: {
    bounds: 'The saved picture of a game',
    value: 1024 * 1024,
    unit: 'bytes',
    option: '',
    told: 'nothing: the file is renamed to `NAME.bad-N`, and the page says so',
  },
  reportBytes: {
    bounds: 'A file of the report on the System tab',
    value: 32 * 1024 * 1024,
    unit: 'bytes',
    option: '',
    told: 'status 404',
  },
  savedFiles: {
    bounds: 'Files that are read in one folder of the data directory',
    value: 512,
    unit: 'files',
    option: '',
    told: 'nothing: the others are ignored',
  },
  badFiles: {
    bounds: 'Files named `NAME.bad-N` in one folder of the data directory',
    value: 8,
    unit: 'files',
    option: '',
    told: 'nothing: the oldest is deleted',
  },
});

/**
 * Adds the websockets that one address may have to a rate's burst: when the TV returns, all of them come back.
 * @param {Rate} rate @param {{maxClientsPerAddress: number}} settings
 * @returns {Rate}
 */
export const burstFor = ({ perSecond, burst }, { maxClientsPerAddress }) => ({
  perSecond,
  burst: burst + maxClientsPerAddress,
});

/** @param {number} number */
const format = (number) =>
  Number.isInteger(number)
    ? number.toLocaleString('en-US')
    : `1 in ${Math.round(1 / number).toLocaleString('en-US')}`;

/**
 * Formats the limits as a Markdown table.
 * @returns {string}
 */
export function limitsMarkdown() {
  const rows = Object.values(LIMITS).map((/** @type {Limit} */ limit) => {
    const { bounds, value, unit, option, told } = limit;
    const amount =
      typeof value === 'number'
        ? `${format(value)} ${unit}`
        : value.perSecond < 1
          ? `${format(value.burst)} at once, then ${format(value.perSecond)} s`
          : `${format(value.perSecond)} ${unit} a second, ${format(value.burst)} at once`;
    return `| ${bounds} | ${amount} | ${option && `\`${option}\``} | ${told} |`;
  });
  return [
    '| Limit | Default | Option | At the limit, the client gets |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
