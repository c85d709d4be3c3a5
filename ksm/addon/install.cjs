/**
 * Compiles an addon when its npm package is installed and no prebuilt one runs here. The installation succeeds even
 * without a compiler, because a part of the package works without the addon.
 *
 *   node install.cjs NAME SOURCES REMEDY     from the root of the package
 */
'use strict';

const { spawnSync } = require('node:child_process');
const { findAddon } = require('./find.cjs');

const [name, sources, remedy] = process.argv.slice(2);
if (!runsHere() && spawnSync('make', ['-s', '-C', sources], { stdio: 'inherit' }).status !== 0) {
  console.log(`The addon is not built (see above). ${remedy}`);
}

/** Can this process load the addon? */
function runsHere() {
  try {
    return require(findAddon(name, process.cwd())) !== undefined;
  } catch {
    return false;
  }
}
