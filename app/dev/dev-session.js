/**
 * Runs the game that its author edits: each change of its files makes a version, and the match continues with it where
 * the layout of its state is the same. A version that cannot be loaded, or that throws, is replaced by the last one
 * that did not.
 */
import { EventEmitter } from 'node:events';
import { measureStepMs } from '../game-test/boards.js';
import { messageOf } from '../errors.js';
import { indentLines } from '../errors/visible-text.js';
import { readExcerpt } from './excerpt.js';
import { FolderWatch } from './folder-watch.js';
import { GameOutput } from './game-output.js';
import { TickLog } from './tick-report.js';
import { Versions, findVersionLoop } from './versions.js';

const POLL_MS = 500;
/** Readings that a report sums up: 10 s. */
const READINGS = 20;
/** Versions to which the session can go back. */
const MAX_GOOD = 4;
/** A warning about a state that stays broken when the game is corrected: what is computed from NaN is NaN. */
const NOT_FINITE = /must be a finite number/;
const MAX_WARNINGS = 8;
/** Owner of the match. */
const OWNER = 'dev';

/**
 * @typedef {import('./versions.js').Version} Version
 * @typedef {import('../match/match.js').Match} Match
 *
 * @typedef {object} Problem
 * @property {string} sentence @property {import('./excerpt.js').Excerpt | null} source
 * @property {boolean} plays whether an earlier version plays on
 *
 * @typedef {object} DevState what screens show; plain data
 * @property {string} title of the game, '' before its first version
 * @property {{how: 'started' | 'continued' | 'restarted', ms: number} | null} reload the last one; ms: from the change
 *   of the file until the new version runs
 * @property {Problem | null} problem of the newest version
 * @property {string[]} warnings about the newest version
 * @property {import('./tick-report.js').TickReport | null} report
 * @property {readonly string[]} output last lines that the game has written, by console.log() for example
 */

/** Emits 'change' when the state has changed, 'games' when `games` has, and 'line' (string) for the terminal. */
export class DevSession extends EventEmitter {
  #lobby;
  #log;
  #versions;
  #watch;
  #tickLog = new TickLog(measureStepMs(), READINGS);
  /** The newest version that could be loaded. @type {Version | undefined} */
  #newest;
  /** Versions that have not failed, the newest last. @type {Version[]} */
  #good = [];
  /** Copies that may still be needed for a restart or a picture. @type {Version[]} */
  #kept = [];
  /** The last reload. @type {Promise<void>} */
  #last = Promise.resolve();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #closed = false;
  /** @type {DevState} */
  state = { title: '', reload: null, problem: null, warnings: [], report: null, output: [] };
  #output = new GameOutput((line) => this.emit('line', line));

  /**
   * @param {import('./versions.js').VersionsParts & {lobby: import('../lobby/lobby.js').Lobby,
   *   log: import('pino').BaseLogger, output?: EventEmitter}} parts output: see TvOptions
   */
  constructor({ lobby, log, output, ...parts }) {
    super();
    this.#lobby = lobby;
    this.#log = log;
    this.#versions = new Versions(parts);
    this.#watch = new FolderWatch(parts.folder, (at) => void this.#changed(at));
    output?.on('text', (name, text) => this.#output.add(name, text));
    lobby.on('restart', (match, failure) => failure.shortage || this.#failed(match));
    lobby.on('warning', (match, sentence) => this.#warned(match, sentence));
    lobby.on('ended', (match, { reason }) => this.#ended(match, reason));
  }

  /** The games that the lobby shows. @returns {import('./versions.js').Game[]} */
  get games() {
    return this.#newest ? [this.#newest.game] : [];
  }

  /** Starts to watch the folder, and starts the game. */
  async open() {
    this.#timer = setInterval(() => this.#poll(), POLL_MS).unref();
    await this.#watch.open().catch((error) => {
      this.#log.error({ error: messageOf(error) }, 'changes of the game are not seen');
    });
    await this.#changed(performance.now());
  }

  /** @param {number} at time of the change, performance.now() */
  #changed(at) {
    this.#last = this.#last
      .then(() => this.#reload(at))
      .catch((error) => {
        this.#log.error({ error: messageOf(error) }, 'the game cannot be reloaded');
        this.#set({ problem: { sentence: messageOf(error), source: null, plays: false } });
      });
    return this.#last;
  }

  /** @param {number} at */
  async #reload(at) {
    if (this.#closed) return;
    this.#output.beginRead();
    const { version, problem } = await this.#versions.make();
    if (this.#closed) return;
    if (problem) {
      this.#output.addRead();
      const { sentence, place, path } = problem;
      const source = await readExcerpt(path, place);
      if (path) await this.#versions.remove(path);
      this.#setProblem({ sentence, source: source ?? null, plays: this.#lobby.matches.length > 0 });
    }
    if (version) await this.#use(version, at);
  }

  /** Plays a version. @param {Version} version @param {number} at time of the change */
  async #use(version, at) {
    const lobby = this.#lobby;
    const broken = this.state.warnings.some((sentence) => NOT_FINITE.test(sentence));
    this.#newest = version;
    this.#good = [...this.#good, version].slice(-MAX_GOOD);
    this.#kept.push(version);
    this.#tickLog.clear();
    this.#output.clear();
    const fresh = { problem: null, warnings: [], report: null, output: this.#output.lines };
    this.#set({ title: version.game.title, ...fresh });
    this.emit('games');
    const { matches } = lobby;
    const keeps = await Promise.all(matches.map((match) => this.#canContinue(match, version)));
    const same = matches.filter((_, i) => keeps[i] && !broken);
    const others = matches.filter((match) => !same.includes(match));
    await Promise.all(same.map((match) => match.reload(version.game)));
    await Promise.all(others.map((match) => match.stop()));
    if (same.length === 0) await this.#start(version);
    const ms = Math.round(performance.now() - at);
    const how = same.length > 0 ? 'continued' : others.length > 0 ? 'restarted' : 'started';
    this.#set({ reload: { how, ms } });
    this.emit('line', `${version.game.title} ${LINES[how]} after ${ms} ms.`);
    await this.#forget();
  }

  /** Tells whether a match can continue with a version. @param {Match} match @param {Version} version */
  async #canContinue(match, { key, game }) {
    const before = this.#kept.find((version) => version.game === match.game);
    if (before?.key !== key) return false;
    const sizes = JSON.stringify(match.game.sizes(match.options));
    await game.prepare?.(match.options);
    return JSON.stringify(game.sizes(match.options)) === sizes;
  }

  /** Starts a match. A failure is reported by the match. @param {Version} version */
  async #start({ game }) {
    await this.#lobby.start(game.id, { owner: OWNER }).catch((error) => {
      if (Reflect.get(Object(error), 'code') === 'PITV_WORKER_FAILED') return; // see #ended()
      this.#setProblem({ sentence: messageOf(error), source: null, plays: false });
    });
  }

  /** Handles a failure of a match's worker, before the next one is started. @param {Match} match */
  #failed(match) {
    const version = this.#kept.find(({ game }) => game === match.game);
    if (!version || this.#closed) return undefined;
    this.#good = this.#good.filter((each) => each !== version);
    const last = this.#good.findLast(({ key }) => key === version.key);
    const { problem = '', worker } = match;
    const loop = findVersionLoop(match, version);
    if (last) match.setGame(last.game);
    const { place } = worker;
    return this.#explain(version, { problem, place, loop, plays: last !== undefined });
  }

  /**
   * Shows a failure with its source. The line of a loop follows as soon as it is found.
   * @param {Version} version
   * @param {{problem: string, place: string | undefined, loop: Promise<string | undefined>, plays: boolean}} failure
   */
  async #explain({ path, game }, { problem, place, loop, plays }) {
    const read = async (/** @type {string | undefined} */ at) =>
      (await readExcerpt(path, at, game.package?.game)) ?? null;
    const said = problem.replace(/\.$/, '');
    const sentence = said.endsWith('?') ? said : `${said}.`;
    this.#setProblem({ sentence, source: await read(place), plays });
    const line = await loop;
    if (!line || this.state.problem?.sentence !== sentence) return;
    const source = await read(line);
    this.#setProblem({ sentence: `${said} (${line}).`, source, plays });
  }

  /** @param {Match} match @param {string} reason */
  #ended(match, reason) {
    if (this.#closed || reason === 'stopped') return;
    if (reason === 'failed') void this.#failed(match);
    const version = this.#good.at(-1);
    if (version && this.#lobby.matches.length === 0) {
      this.#last = this.#last.then(() => this.#start(version));
    }
  }

  /** @param {Match} match @param {string} sentence */
  #warned(match, sentence) {
    if (match.game !== this.#newest?.game || this.state.warnings.length >= MAX_WARNINGS) return;
    this.emit('line', indentLines(sentence));
    this.#set({ warnings: [...this.state.warnings, sentence] });
  }

  /** Reads the output and the statistics of the newest match. */
  #poll() {
    const { lines } = this.#output;
    if (lines !== this.state.output) this.#set({ output: lines });
    const match = this.#lobby.matches.at(-1);
    const reading = match?.worker.mailbox?.tickStats?.take();
    if (!reading) return;
    this.#tickLog.add(reading);
    this.#set({ report: this.#tickLog.report() });
  }

  /** @param {Problem} problem */
  #setProblem(problem) {
    const { sentence, source } = problem;
    const lines = source ? source.lines.map((line) => lineText(line, source.line)) : [];
    this.emit('line', [indentLines(sentence), ...lines].join('\n'));
    this.#set({ problem });
  }

  /** @param {Partial<DevState>} changes */
  #set(changes) {
    if (this.#closed) return;
    this.state = { ...this.state, ...changes };
    this.emit('change');
  }

  /** Deletes the copies that nothing needs any more. */
  async #forget() {
    const used = this.#lobby.matches.map(({ game }) => game);
    const isNeeded = (/** @type {Version} */ version) =>
      version === this.#newest || this.#good.includes(version) || used.includes(version.game);
    const gone = this.#kept.filter((version) => !isNeeded(version));
    this.#kept = this.#kept.filter(isNeeded);
    await Promise.all(gone.map(({ path }) => this.#versions.remove(path)));
  }

  /** Stops to watch. A version that is being read is ignored. */
  async close() {
    this.#closed = true;
    this.#watch.close();
    clearInterval(this.#timer);
    await this.#last;
  }
}

const LINES = Object.freeze({
  started: 'runs',
  continued: 'continues with the new version',
  restarted: 'begins again, because its state cannot be kept,',
});

/** @param {{number: number, text: string}} line @param {number} marked */
const lineText = ({ number, text }, marked) =>
  `${number === marked ? '>' : ' '} ${String(number).padStart(4)} | ${text}`;
