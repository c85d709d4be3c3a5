/** Reads a game in a process of its own, which locks itself first, and checks what that process answers. */
import { existsSync, lstatSync } from 'node:fs';
import { totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startProgram } from '../engine/host/locked-process.js';
import { captureStderr, spawnOptionsOf, showsOutOfMemory } from '../engine/host/process-worker.js';
import { readActivity } from '../engine/host/procfs.js';
import { KIND } from '../engine/zygote/channel.js';
import { checkDescription, checkTexts, descriptionOf, invalidGame } from '../game/check-game.js';
import { mailboxSizes } from '../game/layout.js';
import { findWrong, integer } from '../options.js';
import { readLocales } from './content.js';

const ENTRY = fileURLToPath(new URL('./read-game.js', import.meta.url));
const HEAP_MB = 64;
const MEMORY_MB = 128;
const POLL_MS = 100;
const COUNT = integer(0);
/** The niceness of matches of others, which give way to the workers of other matches. */
const NICENESS = 10;
/** What a game keeps and draws may have this part of the machine's memory, within bounds. */
const MEMORY_SHARE = 1024;
const MIN_STATE_BYTES = 256 * 1024;
const MAX_STATE_BYTES = 2 * 1024 * 1024;
/** Code of pitv that games import, and the manifest by which Node.js finds it as pitv/game. */
const KERNEL = ['../game', '../errors', '../errors.js', '../options.js', '../../package.json'].map(
  (path) => fileURLToPath(new URL(path, import.meta.url)),
);

/** @typedef {import('../engine/lock.js').Lock} Lock */
/** @typedef {import('../game/layout.js').Dimensions} Dimensions */
/**
 * @typedef {object} GameFile
 * @property {string} path of the game's module
 * @property {string} [id] the id that the game must have, by default the name of its file
 * @property {string} [folder] of the package that the module belongs to; by default its other files are in a folder of
 *   its name
 */
/**
 * @typedef {Omit<import('../game/load-games.js').ListedGame, 'start' | 'dimensions' | 'sizes' | 'layout' |
 *   'rehearsalOptions' | 'prepare'>} Description
 */
/** @typedef {{description: Description, dimensions: Dimensions}} Reading */

/** Returns the lock of a game's workers. @param {GameFile} file @param {boolean} bestEffort see Lock @returns {Lock} */
export function lockOf({ path, folder }, bestEffort) {
  const own = folder ? [folder] : [path, path.replace(/\.js$/, ''), manifestAbove(path)];
  return { readable: [...own, ...linksAbove(path), ...KERNEL], bestEffort };
}

/** Lists the folders above a file, the nearest one first. @param {string} path @returns {string[]} */
function foldersAbove(path) {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

/** Finds the links by which Node.js finds pitv/game, see packages/link.js. @param {string} path */
const linksAbove = (path) =>
  foldersAbove(path)
    .map((folder) => join(folder, 'node_modules', 'pitv'))
    .filter((link) => lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink());

/** Finds the package.json that tells Node.js how to read a module. @param {string} path */
function manifestAbove(path) {
  const manifests = foldersAbove(path).map((folder) => join(folder, 'package.json'));
  return manifests.find(existsSync) ?? manifests[0];
}

/**
 * Runs a locked program until it reports a text.
 * @param {object} program see startProgram() @param {string} program.entry @param {Lock} program.lock
 * @param {object & {memoryMb: number}} program.request @param {number} [program.niceness]
 * @param {AbortSignal} [program.signal] ends it
 * @param {(pid: number, end: (error: Error) => void) => void} [onReady] is called with each report that is no text
 * @throws {Error} why there is no text
 */
export async function askLocked({ signal, ...program }, onReady) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  /** @type {Error | undefined} */
  let failure;
  signal?.throwIfAborted();
  try {
    return await new Promise((resolve, reject) => {
      const process = startProgram(
        { ...program, spawn: spawnOptionsOf({ heapMb: HEAP_MB }) },
        {
          report(kind, text) {
            if (kind === KIND.text) return resolve(text);
            onReady?.(Number(process.child.pid), (error) => reject(failure ?? error));
          },
          failed: (error) => (failure = error),
          unreadable: reject,
        },
      );
      child = process.child;
      child.once('error', reject);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      let output = '';
      const append = (/** @type {string} */ text) => (output += text);
      const readStderr = captureStderr(child.stderr, append, true);
      process.exited.then(async ({ signal: endedBy }) => {
        const end = await readStderr();
        reject(failure ? withPlace(failure, output) : endOf(endedBy, end));
      });
    });
  } finally {
    child?.kill('SIGKILL');
  }
}

/**
 * Reads a game.
 * @param {GameFile} file @param {Record<string, unknown>} options of its dimensions
 * @param {{limitMs: number, bestEffort: boolean, signal?: AbortSignal}} how limitMs: time to import it; signal: ends it
 * @throws {Error} why it cannot be read
 */
export async function readGame(file, options, { limitMs, bestEffort, signal }) {
  const { path, id } = file;
  const lock = lockOf(file, bestEffort);
  const request = { path, id, options, memoryMb: MEMORY_MB };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const program = { entry: ENTRY, lock, request, niceness: NICENESS, signal };
    const answer = await askLocked(program, (pid, end) => {
      timer ??= setInterval(watchTime(pid, limitMs, end), POLL_MS);
    });
    return await checkReading(answer, file);
  } finally {
    clearInterval(timer);
  }
}

/** Puts what Node.js wrote in place of a syntax error's stack. @param {Error} failure @param {string} output */
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
    const activity = readActivity(pid, pid);
    if (activity?.state === 'R') usedMs += Math.min(POLL_MS, activity.cpuMs - cpuMs);
    else if (activity?.state !== 'D') usedMs += POLL_MS; // it sleeps, or has stopped itself
    if (activity) cpuMs = activity.cpuMs;
    if (usedMs < limitMs) return;
    end(new Error(`It was not imported within ${Math.round(limitMs / 1000)} s: does it loop?`));
  };
}

/**
 * Checks what a process has answered that has read a game, and adds the texts of the package's locales.
 * @param {string} text JSON @param {GameFile} file @returns {Promise<Reading>}
 * @throws {import('../errors.js').PitvError} PITV_GAME_INVALID, PITV_PACKAGE_INVALID @throws {SyntaxError}
 */
export async function checkReading(text, { path, folder, id = basename(path, '.js') }) {
  const { game, dimensions } = JSON.parse(text);
  checkDescription(game);
  if (folder) {
    const locales = await readLocales(folder);
    for (const [language, texts] of Object.entries(locales)) {
      checkTexts(`${game.id}: locales/${language}.json`, '', texts, game);
    }
    game.translations = { ...game.translations, ...locales };
  }
  if (game.id !== id) throw invalidGame(`${path} has the id "${game.id}", not "${id}".`);
  const url = pathToFileURL(path).href;
  /** @type {Description} */
  const description = { ...descriptionOf(game), url };
  return { description, dimensions: checkDimensions(dimensions, description) };
}

/**
 * Checks that a match of a game needs no more memory than this machine has for it. The main process copies frames and
 * checkpoints.
 * @param {unknown} given @param {Description} game @returns {Dimensions}
 * @throws {import('../errors.js').PitvError} PITV_GAME_INVALID
 */
function checkDimensions(given, game) {
  const { capacity, decor, stateWords } = Object(given);
  const dimensions = { capacity, decor, stateWords };
  const wrong = findWrong({ capacity: COUNT, decor: COUNT, stateWords: COUNT }, dimensions);
  if (wrong) throw invalidGame(`${game.id}: ${wrong} is not a whole number.`);
  const { frameBytes, checkpointBytes } = mailboxSizes(dimensions, game);
  const share = Math.floor(totalmem() / MEMORY_SHARE);
  const maxBytes = Math.min(MAX_STATE_BYTES, Math.max(MIN_STATE_BYTES, share));
  if (checkpointBytes <= maxBytes && frameBytes <= maxBytes / 2) return dimensions;
  const bytes = Math.max(checkpointBytes, frameBytes * 2);
  throw invalidGame(
    `${game.id}: ${capacity} bodies, ${decor} more to draw and ${stateWords} words of state need ${bytes} bytes; on this machine a game may have ${maxBytes}. Make capacity, decor or state smaller.`,
  );
}
