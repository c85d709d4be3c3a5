/**
 * Finds the file of an addon. `pitv` uses this module, too. It is CommonJS because ../preload.cjs is.
 *
 *   build/x64/pitv.node                         compiled on this machine
 *   prebuilds/linux-x64/pitv.glibc.node         part of the npm package, named as node-gyp-build does
 *   prebuilds/linux-arm/pitv.armv7.glibc.node
 *   prebuilds/linux-arm/pitv.armv6.softfp.glibc.node
 */
'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');

/** Only Alpine Linux has this file. Its C library is musl. */
const ALPINE = '/etc/alpine-release';

/** Returns the tags of the prebuilt addon that runs in this process. @returns {string} such as `armv7.glibc` */
function prebuiltTags() {
  const libc = existsSync(ALPINE) ? 'musl' : 'glibc';
  if (process.arch !== 'arm') return libc;
  // How this Node.js was built. Debian's armel passes floating-point numbers in general registers (softfp).
  const { arm_version: version, arm_float_abi: floats } = /** @type {any} */ (
    process.config.variables
  );
  return `armv${version}${floats === 'hard' ? '' : '.softfp'}.${libc}`;
}

/** Returns the path of the prebuilt addon for this process in a package. @param {string} name of the addon */
const prebuiltPath = (name) =>
  join('prebuilds', `${process.platform}-${process.arch}`, `${name}.${prebuiltTags()}.node`);

/**
 * Returns the path of an addon: the first that exists, or where make would put it.
 * @param {string} name of the addon
 * @param {...string} roots folders that may contain build/ and prebuilds/
 * @returns {string}
 */
function findAddon(name, ...roots) {
  const built = roots.map((root) => join(root, 'build', process.arch, `${name}.node`));
  const found = built.find((file) => existsSync(file));
  if (found) return found;
  const prebuilt = roots.map((root) => join(root, prebuiltPath(name)));
  return prebuilt.find((file) => existsSync(file)) ?? built[0];
}

module.exports = { findAddon, prebuiltPath };
