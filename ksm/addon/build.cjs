#!/usr/bin/env node
/**
 * Compiles the addons of this package for which no prebuilt one runs here. It needs make and cc. The npm packages have
 * no install script, because package managers refuse or ask about these; their users run this program as a command.
 */
'use strict';

const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { findAddon } = require('./find.cjs');

/** Folders that may be the root of a package: of @pitv/ksm, and of the others. */
const [KSM, PARENT] = [join(__dirname, '..'), join(__dirname, '../..')];
const ROOT = existsSync(join(PARENT, 'app/native')) ? PARENT : KSM;
/** Sources by the name of the addon. */
const SOURCES = { pitv: join(PARENT, 'app/native'), ksm: join(KSM, 'native') };

for (const [name, sources] of Object.entries(SOURCES)) {
  if (!existsSync(join(sources, 'Makefile')) || runsHere(name)) continue;
  const { status } = spawnSync('make', ['-s', '-C', sources], { stdio: 'inherit' });
  if (status === 0) continue;
  console.error(`The addon ${name} is not built (see above). It needs make and a C compiler.`);
  process.exitCode = 1;
}

/** Can this process load an addon? @param {string} name */
function runsHere(name) {
  try {
    return require(findAddon(name, ROOT)) !== undefined;
  } catch {
    return false;
  }
}
