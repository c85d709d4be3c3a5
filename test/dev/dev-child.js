/** A `pitv games dev` child with a game of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPackage } from '../../app/packages/create.js';
import { temporaryFolder } from '../support/tv.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));

export class DevChild {
  /** What the command has printed. */
  output = '';
  url = '';

  /** @param {string} folder of the game @param {import('node:child_process').ChildProcess} child */
  constructor(folder, child) {
    this.folder = folder;
    this.child = child;
  }

  /**
   * Starts the command. It ends after the test.
   * @param {import('node:test').TestContext} t
   * @param {{folder?: string, args?: string[]}} [how] folder: of the game, by default that of a new package
   */
  static async start(t, { folder, args = [] } = {}) {
    const parent = await temporaryFolder(t);
    const path = folder ?? join(parent, 'star-rush');
    if (!folder) await createPackage(path);
    const flags = ['games', 'dev', path, '--port', '0', '--host', '127.0.0.1', ...args];
    const child = spawn(process.execPath, [CLI, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, TMPDIR: parent },
    });
    const dev = new DevChild(path, child);
    t.after(() => dev.stop());
    child.stderr.setEncoding('utf8').on('data', (text) => (dev.output += text));
    child.stdout.setEncoding('utf8').on('data', (text) => (dev.output += text));
    while (!dev.url) {
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      if (child.exitCode !== null) throw new Error(`${basename(path)} ended: ${dev.output}`);
      dev.url = /http:\/\/127\.0\.0\.1:\d+(?=\n)/.exec(dev.output)?.[0] ?? '';
    }
    return dev;
  }

  /** Where the data directory is. */
  get parent() {
    return join(this.folder, '..');
  }

  /**
   * Saves a change of a file.
   * @param {(source: string) => string} change @param {string} [name] of the file
   */
  edit(change, name = 'game.js') {
    const path = join(this.folder, name);
    const before = readFileSync(path, 'utf8');
    const after = change(before);
    if (after === before) throw new Error(`${name} has not changed`);
    writeFileSync(path, after);
  }

  /** @returns {Promise<number | null>} the exit status */
  async stop() {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    return child.exitCode;
  }
}
