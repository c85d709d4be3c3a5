/**
 * Addresses at the TV to which a page is connected. In a fleet, that may be another one than the page has come from.
 */

/** Its origin; empty: that of the page. */
let origin = '';

/** Sets the TV. @param {string} socketUrl of its websocket */
export function setTv(socketUrl) {
  const { origin: tv } = new URL(socketUrl.replace(/^ws/, 'http'));
  origin = tv === globalThis.location?.origin ? '' : tv;
}

/** Returns the address of a file of the TV. @param {string} path @returns {string} */
export const tvUrl = (path) => origin + path;
