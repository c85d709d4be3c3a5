'use strict';
/** Exports a promise of its function. */
module.exports = Promise.resolve((/** @type {number} */ n) => n + 100);
