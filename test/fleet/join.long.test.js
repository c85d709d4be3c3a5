/** A TV that joins a fleet which goes on meanwhile. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHANGES } from '../../app/fleet/tables.js';
import { PROTOCOL } from '../../app/fleet/wire.js';
import { root } from '../support/test-files.js';
import { temporaryFolder } from '../support/tv.js';
import { connectTo, othersOf, startFleet, startMatch, test, untilWhole } from './play.js';

/** In this part of the time after which nodes repeat their tables anyway, they do so for a TV that joins. */
const REPEATED_MS = 1000;
const JOINS = 2;

test('the other TVs tell one that joins what it may have missed', async (t) => {
  const { fleet } = await startFleet(t, { count: 2 });
  const connection = await connectTo(t, fleet);
  for (let count = 0; count < JOINS; count++) {
    let beatAt = Infinity;
    let toldAt = Infinity;
    const ends = [
      connection.subscribe('pitv.beat', (message) => {
        const { node, sequence } = /** @type {any} */ (message.json());
        if (node === 'node-1' && sequence === 1) beatAt = performance.now();
      }),
      connection.subscribe(CHANGES, (message) => {
        const { table, node } = /** @type {any} */ (message.json());
        if (table === 'nodes' && node === 'node-0' && beatAt < Infinity)
          toldAt = Math.min(toldAt, performance.now());
      }),
    ];
    fleet.kill(1);
    await fleet.startTv(1);
    await sleep(REPEATED_MS);
    for (const end of ends) end();
    assert.ok(toldAt - beatAt < REPEATED_MS, `after ${toldAt - beatAt} ms`);
  }
});

/** Copies pitv, with another version of the protocol of a fleet. @returns {string} path of the program */
function otherVersion() {
  const folder = temporaryFolder();
  for (const part of ['app', 'ksm', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  for (const part of ['node_modules', 'build']) symlinkSync(join(root, part), join(folder, part));
  const file = join(folder, 'app/fleet/wire.js');
  const own = `PROTOCOL = ${PROTOCOL};`;
  const source = readFileSync(file, 'utf8');
  assert.ok(source.includes(own));
  writeFileSync(file, source.replace(own, `PROTOCOL = ${PROTOCOL + 1};`));
  return join(folder, 'app/cli.js');
}

test('a TV of another version is refused, and the fleet does not notice', async (t) => {
  const parts = await startFleet(t);
  const { fleet, screens } = parts;
  const match = await startMatch(t, parts, 0);
  const cli = otherVersion();
  const [other, last] = othersOf(match.owner);
  const logged = fleet.logs[match.owner].length; // while a fleet starts, a node is alone for a moment
  fleet.kill(last);
  const versions = `version ${PROTOCOL} of its protocol .* version ${PROTOCOL + 1}`;
  await assert.rejects(fleet.startTv(last, cli), new RegExp(versions, 's'));
  assert.equal(fleet.nodes[last].tv.exitCode, 1);
  await screens[other].nextFrame(performance.now());
  assert.equal(await fleet.ownerOf(match.id, other), match.owner);
  assert.doesNotMatch(fleet.logs[match.owner].slice(logged), /cut off|missed this one/);

  for (const i of [match.owner, other]) fleet.kill(i);
  for (const i of [0, 1, 2]) await fleet.startTv(i, cli); // all at once can be updated
  await untilWhole(fleet);
});
