/** Running the programs that do the work. */
import { spawn } from 'node:child_process';
import { PitvError } from '../../app/errors.js';

const TAIL_CHARACTERS = 4000;

/** depmod, mkfs and sfdisk are where a user's PATH does not lead. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

/**
 * Runs a program to its end, and keeps quiet unless it fails.
 * @param {string} program
 * @param {string[]} args
 * @param {{cwd?: string, env?: Record<string, string>, input?: string}} [options]
 * @returns {Promise<string>} its standard output
 * @throws {PitvError} PITV_IMAGE_TOOL with the end of what it printed
 */
export function run(program, args, { cwd, env = {}, input = '' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, PATH, ...env } });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.stderr
      .setEncoding('utf8')
      .on('data', (text) => (errors = (errors + text).slice(-TAIL_CHARACTERS)));
    child.on('error', (cause) => {
      const sentence = `${program} could not be started (${cause.message}). Install what image/README.md lists.`;
      reject(new PitvError('PITV_IMAGE_TOOL', sentence, { cause }));
    });
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const said = errors || output.slice(-TAIL_CHARACTERS);
      const end = signal ? `was ended by ${signal}` : `failed (exit status ${code})`;
      reject(new PitvError('PITV_IMAGE_TOOL', `${program} ${args[0] ?? ''} ${end}:\n${said}`));
    });
    child.stdin.on('error', () => {}); // it did not want to hear all of it
    child.stdin.end(input);
  });
}

/**
 * Runs a program as root, or as what passes for root in a user namespace of its own.
 * @param {string} program
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function runAsRoot(program, args, options) {
  return process.getuid?.() === 0
    ? run(program, args, options)
    : run('unshare', ['--map-auto', '--map-root-user', '--', program, ...args], options);
}
