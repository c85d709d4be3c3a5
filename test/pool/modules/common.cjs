'use strict';
/** A CommonJS module as piscina's users write it. */
const next = (/** @type {number} */ n) => n + 1;
const double = async (/** @type {number} */ n) => n * 2;
const isMain = () => [require.main === module, typeof Reflect.get(module, 'parent')];
module.exports = Object.assign(next, { double, isMain });
