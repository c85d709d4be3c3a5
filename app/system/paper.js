/** Runs `pitv bench paper` for the admin page, one at a time. The report is saved in the data directory. */
import { spawn } from 'node:child_process';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { readRegularFile } from '../storage/saved-files.js';
import { makeDirectory } from '../storage/store.js';

const CLI = fileURLToPath(new URL('../cli.js', import.meta.url));
/** Folder of the report in the data directory. */
export const PAPER = 'paper';
/** Files that may be downloaded. */
const REPORTS = Object.freeze(['report.txt', 'results.json']);
/** Lines of output that are kept. */
const MAX_LINES = 12;
const MAX_LINE_CHARACTERS = 200;

export class PaperRun {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  /** The end of its output. @type {string[]} */
  #lines = [];
  #startedAt = 0;
  #failure = /** @type {string | undefined} */ (undefined);

  /**
   * @param {object} parts @param {string} parts.dataDir
   * @param {Pick<import('pino').Logger, 'info' | 'warn'>} parts.log
   * @param {string[]} [parts.command] for tests, instead of `pitv bench paper`
   */
  constructor({ dataDir, log, command = [CLI, 'bench', 'paper'] }) {
    this.folder = join(dataDir, PAPER);
    this.log = log;
    this.command = command;
  }

  /** Returns the state of the current run, or of the last one. */
  async state() {
    const report = await stat(join(this.folder, 'report.txt')).catch(() => undefined);
    const reportAt = report ? Math.round(report.mtimeMs) : null;
    const runningMs = this.#child ? Math.round(performance.now() - this.#startedAt) : null;
    return { runningMs, lines: this.#lines, failure: this.#failure ?? null, reportAt };
  }

  /** Starts a run. @param {{quick: boolean}} options @throws {PitvError} PITV_BENCH_BUSY, PITV_BENCH_NOT_KEPT */
  async start({ quick }) {
    if (this.#child) throw new PitvError('PITV_BENCH_BUSY', 'A measurement is already running.');
    const out = `${this.folder}.new`;
    try {
      await rm(out, { recursive: true, force: true });
      await makeDirectory(out);
    } catch (error) {
      throw new PitvError('PITV_BENCH_NOT_KEPT', `Its folder cannot be made: ${messageOf(error)}.`);
    }
    if (this.#child) throw new PitvError('PITV_BENCH_BUSY', 'A measurement is already running.');
    const args = [...this.command, '--out', out, ...(quick ? ['--quick'] : [])];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#lines = [];
    this.#failure = undefined;
    this.#startedAt = performance.now();
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => this.#addOutput(text));
    }
    child.once('error', (error) => this.#end(out, messageOf(error)));
    child.once('close', (code, signal) => {
      const why = signal ? `It was ended by ${signal}.` : `It ended with status ${code}.`;
      void this.#end(out, code === 0 ? undefined : why);
    });
    this.log.info({ quick }, 'the paper is measured');
  }

  /** Keeps the end of the output. @param {string} text */
  #addOutput(text) {
    const lines = text
      .replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '') // eslint-disable-line no-control-regex
      .split(/[\r\n]+/)
      .map((line) => line.trimEnd().slice(0, MAX_LINE_CHARACTERS))
      .filter((line) => line !== '');
    this.#lines = [...this.#lines, ...lines].slice(-MAX_LINES);
  }

  /** Replaces the last report. @param {string} out folder of the new one @param {string} [failure] */
  async #end(out, failure) {
    if (!this.#child) return;
    this.#failure = failure;
    try {
      // A failed run may have written a report as well, which says what failed.
      await stat(join(out, 'report.txt'));
      await rm(this.folder, { recursive: true, force: true });
      await rename(out, this.folder);
    } catch (error) {
      this.#failure ??= messageOf(error);
      await rm(out, { recursive: true, force: true }).catch(() => {});
    }
    if (this.#failure) this.log.warn({ error: this.#failure }, 'the paper was not measured');
    this.#child = undefined;
  }

  /** Ends the current run. */
  stop() {
    this.#child?.kill('SIGTERM');
  }

  /** Reads a file of the last report. @param {string} name of REPORTS @throws {PitvError} PITV_NOT_FOUND */
  async report(name) {
    const path = join(this.folder, name);
    const maxBytes = LIMITS.reportBytes.value;
    const known = REPORTS.includes(name);
    const file = known && (await readRegularFile(path, maxBytes).catch(() => undefined));
    if (!file) throw new PitvError('PITV_NOT_FOUND', 'There is no report yet.');
    return file;
  }
}
