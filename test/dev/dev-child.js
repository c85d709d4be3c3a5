/** A `pitv games dev` child with a game of its own. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createPackage } from '../../app/packages/create.js';
import { startCommand } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { poll } from '../support/polling.js';

export class DevChild {
  url = '';
  #command;

  /** @param {string} folder of the game @param {ReturnType<typeof startCommand>} command */
  constructor(folder, command) {
    this.folder = folder;
    this.#command = command;
  }

  /** What the command has printed. */
  get output() {
    const { stdout, stderr } = this.#command.output;
    return stdout + stderr;
  }

  /**
   * Starts the command. It ends after the test.
   * @param {{after: (action: () => unknown) => void}} t
   * @param {{from?: string, args?: string[]}} [how] from: a package that is copied; by default a new one is made
   */
  static async start(t, { from, args = [] } = {}) {
    const parent = temporaryFolder();
    const path = join(parent, from ? basename(from) : 'star-rush');
    if (from) cpSync(from, path, { recursive: true });
    else await createPackage(path);
    const flags = ['games', 'dev', path, '--port', '0', '--host', '127.0.0.1', ...args];
    const env = { NODE_TEST_CONTEXT: undefined, TMPDIR: parent };
    const command = startCommand(flags, { env });
    const dev = new DevChild(path, command);
    t.after(() => dev.stop());
    const find = () => /http:\/\/127\.0\.0\.1:\d+(?=\n)/.exec(dev.output)?.[0] ?? '';
    await poll(() => find() || command.child.exitCode !== null, Infinity);
    dev.url = find();
    if (!dev.url) throw new Error(`${basename(path)} ended: ${dev.output}`);
    return dev;
  }

  /** Saves a change of game.js. @param {(source: string) => string} change */
  edit(change) {
    const path = join(this.folder, 'game.js');
    const before = readFileSync(path, 'utf8');
    const after = change(before);
    if (after === before) throw new Error('game.js has not changed');
    writeFileSync(path, after);
  }

  /** @returns {Promise<number | null>} the exit status */
  async stop() {
    this.#command.child.kill('SIGTERM');
    return (await this.#command.ended).status;
  }
}
