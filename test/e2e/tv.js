/** Starts a TV with the command `pitv serve`, in its own process and on a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gamesSettle } from '../support/bundled-games.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));

/**
 * Starts a TV that is stopped after the test.
 * @param {import('node:test').TestContext} t
 * @param {string[]} flags additional flags of `pitv serve`
 */
export async function startTv(t, ...flags) {
  const tv = await serve({ flags });
  t.after(tv.stop);
  return tv;
}

/**
 * Starts a TV.
 * @param {object} options
 * @param {string[]} options.flags additional flags of `pitv serve`
 * @param {string[]} [options.wrap] a command that executes the arguments after its own
 * @param {string[]} [options.node] options of Node.js
 */
export async function serve({ flags, wrap = [], node = [] }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'pitv-e2e-'));
  const own = ['serve', '--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir];
  const [command, ...args] = [...wrap, process.execPath, ...node, CLI, ...own, ...flags];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text));
  const found = new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const address = /(http:\/\/[\w.:]+)\/p\?c=(\w{5})/.exec(output);
      const token = /Admin token (\S+)/.exec(output);
      if (address && token) resolve({ url: address[1], code: address[2], adminToken: token[1] });
    });
    child.once('exit', (code) => reject(new Error(`pitv serve ended with ${code}:\n${log}`)));
  });

  async function stop() {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(dataDir, { recursive: true, force: true });
  }

  const { url, code, adminToken } = await found.catch(async (error) => {
    await stop();
    throw error;
  });
  const pid = /** @type {number} */ (child.pid);
  await gamesSettle(() => log).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    url,
    code,
    adminToken,
    dataDir,
    pid,
    stop,
    log: () => log,
    /** @returns {Promise<any>} */
    matches: async () => (await fetch(`${url}/api/matches`)).json(),
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    workerPids: () => childrenOf(pid),
    /** Returns the newest process of a match, from the log. @param {number} match */
    pidOf: (match) =>
      log
        .split('\n')
        .filter((line) => line.includes('"msg":"the match runs"'))
        .map((line) => JSON.parse(line))
        .findLast((line) => line.match === match)?.pid,
  };
}

/** @typedef {Awaited<ReturnType<typeof serve>>} Tv */

/** Lists the child processes of a process. @param {number} pid @returns {number[]} */
function childrenOf(pid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      try {
        const stat = readFileSync(`/proc/${each}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(parent) === pid && state !== 'Z';
      } catch {
        return false; // the process has ended
      }
    });
}
