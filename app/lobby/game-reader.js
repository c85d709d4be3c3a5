/**
 * Reads a game in a process of its own, which locks itself before it imports the game. What the process answers is
 * data of strangers: it is checked here.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startLocked } from '../engine/host/locked-process.js';
import {
  captureStderr,
  defaultSpawnOptions,
  showsOutOfMemory,
} from '../engine/host/process-worker.js';
import { readThreadActivity } from '../engine/host/procfs.js';
import { mailboxBytes } from '../engine/mailbox/mailbox.js';
import { PitvError } from '../errors.js';
import { checkDescription, checkTexts } from '../game/check-game.js';
import { localeFile, readLocales } from '../packages/locales.js';

const ENTRY = fileURLToPath(new URL('./read-game.js', import.meta.url));
const HEAP_MB = 64;
const MEMORY_MB = 128;
const POLL_MS = 100;
/** A game of the maximum number of bodies has mailboxes of 20 MB. */
const MAX_MAILBOX_BYTES = 64 * 1024 * 1024;
/** Code of pitv that games import, and the manifest by which Node.js finds it as pitv/game. */
const KERNEL = ['../game', '../errors', '../errors.js', '../options.js', '../../package.json'].map(
  (path) => fileURLToPath(new URL(path, import.meta.url)),
);

/** @typedef {import('../engine/lock-support.js').Lock} Lock */
/** @typedef {import('../engine/mailbox/mailbox.js').MailboxSizes} MailboxSizes */
/**
 * @typedef {object} GameFile
 * @property {string} path of the game's module
 * @property {string} [id] the id that the game must have, by default the name of its file
 * @property {string} [folder] of the package that the module belongs to; by default its other files are in a folder of
 *   its name
 */
/** @typedef {Omit<import('../game/load-games.js').ListedGame, 'start' | 'sizes' | 'layout' | 'rehearsalOptions'>} Description */
/** @typedef {{description: Description, sizes: MailboxSizes}} Reading */

/**
 * Returns the lock of workers that run a game.
 * @param {GameFile} file @param {boolean} bestEffort see Lock
 * @returns {Lock}
 */
export function lockOf({ path, folder }, bestEffort) {
  const own = folder ? [folder] : [path, path.replace(/\.js$/, ''), manifestAbove(path)];
  return { readable: [...own, ...KERNEL], bestEffort };
}

/** Finds the package.json that tells Node.js how to read a module. @param {string} path */
function manifestAbove(path) {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) || folder === dirname(folder)) return manifest;
  }
}

/**
 * Reads a game.
 * @param {GameFile} file @param {Record<string, unknown>} options of its sizes
 * @param {{limitMs: number, bestEffort: boolean}} how limitMs: time to import it
 * @returns {Promise<Reading>}
 * @throws {Error} why it cannot be read
 */
export async function readGame(file, options, { limitMs, bestEffort }) {
  const { path, id } = file;
  const lock = lockOf(file, bestEffort);
  const request = { path, id, options, memoryMb: MEMORY_MB };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  /** @type {Error | undefined} */
  let failure;
  try {
    const answer = await new Promise((resolve, reject) => {
      const process = startLocked(
        { entry: ENTRY, lock, request, spawn: defaultSpawnOptions({ heapMb: HEAP_MB }) },
        {
          message(/** @type {any} */ message) {
            if (message?.game) return resolve(message);
            const pid = Number(process.child.pid);
            const end = (/** @type {Error} */ error) => reject(failure ?? error);
            timer ??= setInterval(watchTime(pid, limitMs, end), POLL_MS);
          },
          failed: (error) => (failure = error),
          unreadable: reject,
        },
      );
      child = process.child;
      child.once('error', reject);
      let output = '';
      const append = (/** @type {string} */ text) => (output += text);
      const readStderr = captureStderr(child.stderr, append, true);
      child.once('exit', async (_code, signal) => {
        await process.closed;
        const end = await readStderr();
        reject(failure ? withPlace(failure, output) : endOf(signal, end));
      });
    });
    return await checkReading(answer, file);
  } finally {
    clearInterval(timer);
    child?.kill('SIGKILL');
  }
}

/**
 * Replaces the stack of a syntax error, which does not name its place, by what Node.js has written.
 * @param {Error} failure @param {string} output
 */
function withPlace(failure, output) {
  if (output && failure.cause instanceof SyntaxError) failure.stack = output;
  return failure;
}

/** @param {NodeJS.Signals | null} signal @param {string} output */
function endOf(signal, output) {
  if (showsOutOfMemory(output)) return new Error('It used up its memory when it was imported.');
  const how = signal ? `was ended by ${signal}` : 'ended its process';
  return new Error(`It ${how} when it was imported.`);
}

/**
 * Returns a function that ends the reading when its time is over. Time in which the process waits for a core or a disk
 * does not count, so that a busy machine leaves no game out.
 * @param {number} pid @param {number} limitMs @param {(error: Error) => void} end
 */
function watchTime(pid, limitMs, end) {
  let usedMs = 0;
  let cpuMs = 0;
  return () => {
    const activity = readThreadActivity(pid, pid);
    if (activity?.state === 'R') usedMs += Math.min(POLL_MS, activity.cpuMs - cpuMs);
    else if (activity?.state !== 'D') usedMs += POLL_MS; // it sleeps, or has stopped itself
    if (activity) cpuMs = activity.cpuMs;
    if (usedMs < limitMs) return;
    end(new Error(`It was not imported within ${Math.round(limitMs / 1000)} s: does it loop?`));
  };
}

/**
 * Checks what a process has answered that has read a game, and adds the texts of the package's locales.
 * @param {unknown} answer @param {GameFile} file
 * @returns {Promise<Reading>}
 * @throws {PitvError} PITV_GAME_INVALID, PITV_PACKAGE_INVALID, PITV_MAILBOX_SIZE @throws {TypeError}
 */
export async function checkReading(answer, { path, folder, id = basename(path, '.js') }) {
  const { game, sizes } = JSON.parse(JSON.stringify(answer)); // plain data
  checkDescription(game);
  if (folder) {
    const locales = await readLocales(folder);
    for (const [language, texts] of Object.entries(locales)) {
      checkTexts(`${game.id}: ${localeFile(language)}`, '', texts, game.teams);
    }
    game.translations = { ...game.translations, ...locales };
  }
  const { title, tagline, rules, players, controls, view, teams } = game;
  const { options = {}, translations = {} } = game;
  const texts = { title, tagline, rules, controls, translations };
  const fields = { ...texts, players, view, options, ...(teams && { teams }) };
  const { inputSlots, frameBytes, checkpointBytes, inputLogTicks } = sizes;
  const checked = { inputSlots, frameBytes, checkpointBytes, inputLogTicks };
  if (game.id !== id || mailboxBytes(checked) > MAX_MAILBOX_BYTES) {
    throw new PitvError('PITV_GAME_INVALID', `${path} has another id or needs too much memory.`);
  }
  const description = { id: game.id, ...fields, url: pathToFileURL(path).href };
  return { description, sizes: checked };
}
