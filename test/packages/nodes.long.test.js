/** Imports an installed game with all versions of Node.js: packages find pitv/game in each of them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { Packages } from '../../app/packages/packages.js';
import { Store } from '../../app/storage/store.js';
import { nodeVersions } from '../nodes.js';
import { writePackage } from '../support/archives.js';
import { temporaryFolder } from '../support/tv.js';

/** Plays the game of a URL for a second. */
const PROGRAM = `
const { default: game } = await import(process.argv[1]);
const job = game.start({ seed: 1 });
for (let i = 0; i < 60; i++) job.step(() => 0, () => 0);
console.log(game.id, job.tick);
`;

for (const { name, command, skip } of nodeVersions()) {
  test(`${name} finds pitv/game`, { skip }, async () => {
    const folder = temporaryFolder();
    const from = writePackage(join(folder, 'a.tgz'), 'gather');
    const packages = new Packages(new Store(join(folder, 'data')));
    const installed = await packages.install({ kind: 'file', from });
    const url = pathToFileURL(packages.moduleOf(installed)).href;
    const [program, ...args] = command;
    const flags = ['--input-type=module', '--eval', PROGRAM, url];
    const output = execFileSync(program, [...args, ...flags], { encoding: 'utf8' });
    assert.equal(output, 'gather 60\n');
  });
}
