/**
 * Limits on join codes, players and screens. A client is an IPv4 address, a /64 of global IPv6, or a local IPv6 address
 * (client-key.js).
 */
import { rows } from './rows.js';

export const playerLimits = rows({
  rememberedAddresses: {
    bounds: 'Addresses whose use of a rate is remembered, for each rate',
    value: 10_000,
    unit: 'addresses',
    effect: 'nothing: the least recently used is forgotten',
  },
  // Allows a few typing errors at once. 14 million guesses take 2.7 years.
  wrongCodes: {
    bounds: 'Wrong join codes of an address',
    value: { perSecond: 1 / 6, burst: 10 },
    unit: 'codes',
    effect: '`PITV_CODE_LOCKED`, status 429',
  },
  // 14 million guesses take 1.8 years.
  wrongCodesPerNetwork: {
    bounds: 'Wrong join codes of all local addresses of an IPv6 network',
    value: { perSecond: 1 / 4, burst: 100 },
    unit: 'codes',
    effect: '`PITV_CODE_LOCKED`, status 429',
  },
  // 14 million guesses take 11 months, from any number of addresses.
  wrongCodesOfAll: {
    bounds:
      'Wrong join codes of all addresses, except `127.0.0.1`, `::1` and those from which a right code came',
    value: { perSecond: 1 / 2, burst: 200 },
    unit: 'codes',
    effect: '`PITV_CODE_LOCKED`, status 429; the QR code still works',
  },
  players: {
    bounds: 'Players, including disconnected ones in their grace time',
    value: 64,
    unit: 'players',
    effect: '`PITV_PLAYERS_FULL`',
  },
  padsPerAddress: {
    bounds: 'Players of one address',
    value: 16,
    unit: 'players',
    option: '--max-pads-per-address',
    effect: '`PITV_PLAYERS_ADDRESS`',
  },
  playerGrace: {
    bounds: 'Grace time of a disconnected player',
    value: 60_000,
    unit: 'ms',
    effect: 'nothing: the phone has to join with the code again',
  },
  lobbyPause: {
    bounds: 'Time between two lobby messages to a client',
    value: 200,
    unit: 'ms',
    effect: 'one message for all changes in that time',
  },
  screenTokens: {
    bounds: 'Remembered screens that are not connected and have no match',
    value: 64,
    unit: 'screens',
    effect: 'nothing: the oldest one of the address with the most is forgotten',
  },
});
