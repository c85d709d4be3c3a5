/** Starts a browser with a new profile, controls it, and ends it with all its processes after the test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';

/** Killed processes may still write to their profile for ten seconds. The delay grows by itself at each try. */
const REMOVE = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };

/**
 * Starts a browser and waits for the line in which it names its address for remote control.
 * @param {{after: (action: () => unknown) => void}} t
 * @param {string} binary
 * @param {RegExp} line its first group is the address
 * @param {(profile: string) => {args: string[], env?: NodeJS.ProcessEnv}} prepare fills the folder of the profile
 * @returns {Promise<string>} the address
 * @throws {Error} when the browser ends before
 */
export async function startBrowser(t, binary, line, prepare) {
  const profile = mkdtempSync(join(tmpdir(), 'pitv-browser-'));
  const { args, env } = prepare(profile);
  // In a process group of its own, which ends as a whole.
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'], env, detached: true });
  t.after(async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL');
      await once(child, 'exit');
    }
    await rm(profile, REMOVE);
  });
  let log = '';
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log += text;
      const found = line.exec(log);
      if (found) resolve(found[1]);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${binary} does not start:\n${log}`)));
  });
}

/** A connection on which a browser answers commands and reports events: DevTools or WebDriver BiDi. */
export class Control {
  #socket;
  #id = 0;
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  #calls = new Map();

  /** @param {WebSocket} socket @param {(method: string, params: any) => void} onEvent */
  constructor(socket, onEvent) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const { id, result, error, message, method, params } = JSON.parse(String(data));
      if (method) onEvent(method, params);
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (error) call?.reject(new Error(message ? `${error}: ${message}` : error.message));
      else call?.resolve(result);
    });
    socket.on('close', () => {
      for (const { reject } of this.#calls.values()) reject(new Error('the browser has ended'));
      this.#calls.clear();
    });
  }

  /** @param {string} url @param {(method: string, params: any) => void} onEvent */
  static async open(url, onEvent) {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, 'open');
    return new Control(socket, onEvent);
  }

  /** Sends a command. @param {string} method @param {object} [params] @returns {Promise<any>} */
  send(method, params = {}) {
    const id = ++this.#id;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }
}
