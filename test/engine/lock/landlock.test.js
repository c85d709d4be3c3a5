/**
 * What a process cannot do that the addon's constructor has locked before its main(), without a filter of system calls.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { NODE_FILES } from '../../../app/engine/lock.js';
import { NATIVE_FILE, native } from '../../../app/native/native.js';
import { skip } from './helpers.js';
import { temporaryFolder } from '../../support/folders.js';

/** Landlock refuses; a view of its own hides, and is read-only. */
const REFUSED = /^(EACCES|EPERM|ENOENT|EROFS)\n$/;
const version = skip ? 0 : native().lockSupport().landlock;
/** @param {number} least version of Landlock's interface */
const needs = (least) => version < least && `Landlock's version is ${version}, not ${least}`;

describe('a process whose files are locked', { skip }, () => {
  const folder = temporaryFolder({ readable: 'text', closed: 'secret' });
  const readable = join(folder, 'readable');
  const closed = join(folder, 'closed');

  const names = `const [folder, readable, closed] = ${JSON.stringify([folder, readable, closed])};`;
  const paths = [
    readable,
    join(folder, 'missing'),
    process.execPath,
    '/etc/ssl/openssl.cnf',
    ...NODE_FILES,
  ];

  /** Runs source code in a locked process. @param {string} source @returns {Promise<string>} what it printed */
  function run(source) {
    const child = spawn(process.execPath, ['-e', names + source], {
      env: { LD_PRELOAD: NATIVE_FILE, pitv_lock: [3, ...paths].join('\n') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return text(child.stdout);
  }
  /** Runs an expression, and returns the code of the error that it throws. @param {string} expression */
  const tried = (expression) =>
    run(`try { ${expression}; console.log('done') } catch ({ code }) { console.log(code) }`);
  /** @param {string} socket an expression @param {string} event */
  const connected = (socket, event) =>
    run(
      `${socket}.on('error', ({ code }) => console.log(code)).on('${event}', () => { console.log('done'); process.exit() })`,
    );

  test('reads only the files that it may read, writes nothing and runs no program', async () => {
    assert.equal(await tried('fs.readFileSync(readable)'), 'done\n');
    for (const expression of [
      'fs.readFileSync(closed)',
      'fs.readdirSync(folder)',
      "fs.writeFileSync(readable, '')",
      "fs.mkdirSync(folder + '/new')",
      'fs.rmSync(closed)',
      "child_process.execFileSync('/bin/true')",
    ]) {
      assert.match(await tried(expression), REFUSED, expression);
    }
  });

  test('reads nothing on the threads that Node.js starts', async () => {
    const read = 'fs.readFile(closed, ({ code }) => console.log(code))';
    assert.match(await run(read), REFUSED);
  });

  test('neither connects nor listens by TCP', { skip: needs(4) }, async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    assert.match(await connected(`net.connect(${port}, '127.0.0.1')`, 'connect'), REFUSED);
    assert.equal(
      await connected(`net.createServer().listen(0, '127.0.0.1')`, 'listening'),
      'EACCES\n',
    );
  });

  test('reaches neither abstract sockets nor other processes', { skip: needs(6) }, async (t) => {
    const server = createServer().listen('\0pitv-landlock-test');
    t.after(() => server.close());
    await once(server, 'listening');
    assert.match(await connected(`net.connect('\\0pitv-landlock-test')`, 'connect'), REFUSED);
    assert.match(await tried(`process.kill(${process.pid}, 0)`), REFUSED);
  });
});
