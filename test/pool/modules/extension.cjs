'use strict';
/** Is loaded by --require, and has require() know the extension of hooked.number: such a file holds a number. */
const { readFileSync } = require('node:fs');

require.extensions['.number'] = (module, path) => {
  const number = Number(readFileSync(path, 'utf8'));
  module.exports = { add: (/** @type {number} */ n) => n + number };
};
