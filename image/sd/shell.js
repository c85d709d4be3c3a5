/** Runs other programs. */
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { PitvError } from '../../app/errors.js';

const TAIL_CHARACTERS = 4000;

/** depmod, mkfs and sfdisk are not in the PATH of an ordinary user. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

/** Running programs, each the leader of a process group. @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
/** @type {NodeJS.Signals | undefined} */
let interrupted;

/**
 * Makes signals such as Ctrl-C end the programs of run(). Their callers then clean up as after any failure, and the
 * process ends.
 */
export function endOnSignals() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      interrupted = signal;
      for (const { pid } of running) if (pid) process.kill(-pid, 'SIGTERM');
    });
  }
}

/**
 * Runs a program to its end. Its output is shown if it fails; if it succeeds, only its warnings are.
 * @param {string} program
 * @param {string[]} args
 * @param {{cwd?: string, env?: Record<string, string>, input?: string | Uint8Array}} [options]
 * @returns {Promise<string>} its standard output
 * @throws {PitvError} PITV_IMAGE_TOOL with the end of what it printed, PITV_IMAGE_INTERRUPTED
 */
export function run(program, args, { cwd, env = {}, input = '' } = {}) {
  return new Promise((resolve, reject) => {
    if (interrupted) return reject(interruption());
    // In a process group, so that a script ends together with its programs.
    const options = { cwd, env: { ...process.env, PATH, ...env }, detached: true };
    const child = spawn(program, args, options);
    running.add(child);
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    child.on('error', (cause) => {
      running.delete(child);
      const sentence = `${program} could not be started (${cause.message}). Run ./setup.sh image.`;
      reject(new PitvError('PITV_IMAGE_TOOL', sentence, { cause }));
    });
    child.on('close', (code, signal) => {
      running.delete(child);
      if (code === 0) {
        for (const line of warningsIn(errors)) console.error(`${basename(program)}: ${line}`);
        return resolve(output);
      }
      if (interrupted) return reject(interruption());
      const tail = (errors || output).slice(-TAIL_CHARACTERS);
      const end = signal ? `was ended by ${signal}` : `failed (exit status ${code})`;
      reject(new PitvError('PITV_IMAGE_TOOL', `${program} ${args[0] ?? ''} ${end}:\n${tail}`));
    });
    child.stdin.on('error', () => {}); // the program did not read all of its input
    child.stdin.end(input);
  });
}

/** Finds the warnings in what a program has printed; apt's begin with W. @param {string} text */
const warningsIn = (text) =>
  new Set(text.split(/[\r\n]+/).filter((line) => /^W: |\bwarning\b/i.test(line)));

/**
 * Splits a command line at its spaces. An inserted value is never split; each value of an inserted list becomes an
 * argument of its own. Empty arguments are left out.
 * @param {TemplateStringsArray} texts @param {...(string | number | string[])} values
 * @returns {string[]}
 */
export function words(texts, ...values) {
  const found = [''];
  for (const [i, text] of texts.entries()) {
    const [rest, ...more] = text.split(/\s+/);
    found.push(found.pop() + rest, ...more);
    const value = values[i] ?? '';
    if (Array.isArray(value)) found.push(...value, '');
    else found.push(`${found.pop()}${value}`);
  }
  return found.filter((word) => word !== '');
}

const interruption = () =>
  new PitvError('PITV_IMAGE_INTERRUPTED', `Ended by ${interrupted}. No incomplete layer is left.`);

/**
 * Runs a program as root, or as root of a new user namespace.
 * @param {string} program
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function runAsRoot(program, args, options) {
  return process.getuid?.() === 0
    ? run(program, args, options)
    : run('unshare', ['--map-auto', '--map-root-user', '--', program, ...args], options);
}
