/** What packages of games import as `pitv/game`: a link to this folder stands above them (packages/link.js). */
export * from '../index.js';
