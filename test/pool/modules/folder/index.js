module.exports = (/** @type {number} */ n) => n + 1;
