/**
 * Installs a package and kills its own process before one of the calls that write to the disk: `node install-and-cut.js
 * DATA-DIR FILE STEP`. With a step after the last call, the installation succeeds.
 */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [dataDir, from, step] = process.argv.slice(2);
let calls = 0;

/** @param {any} owner @param {string} name of a method */
function countCalls(owner, name) {
  const call = owner[name];
  owner[name] = function (/** @type {any[]} */ ...args) {
    if (++calls === Number(step)) process.kill(process.pid, 'SIGKILL');
    return call.apply(this, args);
  };
}

for (const name of ['mkdir', 'open', 'rename', 'rm', 'symlink']) countCalls(fs, name);
const file = await fs.open(process.execPath);
for (const name of ['writeFile', 'sync']) countCalls(Object.getPrototypeOf(file), name);
await file.close();
calls = 0;
syncBuiltinESMExports();

const { Packages } = await import('../../app/packages/packages.js');
const { Store } = await import('../../app/storage/store.js');
await new Packages(new Store(dataDir)).install({ kind: 'file', from });
