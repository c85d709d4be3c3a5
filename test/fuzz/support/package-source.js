/** Writes the module of a package from what it does. */
import { gameSource } from '../../support/game-files.js';

/** Tools of the actions. */
const TOP = `
import fs from 'node:fs';
import { Socket } from 'node:net';
import { serialize } from 'node:v8';
const isRead = String(process.argv[1]).includes('read-game');
let memory;
let ticks = 0;
let editFrom = 0;
let edit = (bytes, length) => length;
const attempt = (action) => { try { return action() } catch {} };
const each = (action) => { for (let fd = 3; fd < 64; fd++) attempt(() => action(fd)) };
const poke = (at, value) => { if (memory) memory[at] = value };
const spin = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); };
function random(length, seed) {
  const bytes = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    bytes[i] = seed >>> 24;
  }
  return bytes;
}
function failure(causes, length) {
  const text = 'a'.repeat(length);
  let cause;
  for (; causes > 0; causes--) cause = { name: text, message: text, stack: text, code: text, cause };
  return Buffer.from(JSON.stringify(cause));
}
function send(kind, body, times, added = 0) {
  const bytes = Buffer.concat([Buffer.alloc(5), body]);
  bytes.writeUInt32LE((1 + body.length + added) >>> 0);
  bytes[4] = kind;
  each((fd) => { for (let i = 0; i < times; i++) fs.writeSync(fd, bytes) });
}
`;

/**
 * Returns the module of a game.
 * @param {string} id @param {Pick<import('./package-actions.js').Action, 'at' | 'text'>[]} actions
 */
export function sourceOf(id, actions) {
  const at = (/** @type {string} */ moment) =>
    actions.flatMap((each) => (each.at === moment ? `{ ${each.text} }` : [])).join('\n');
  return `${gameSource(id, { top: TOP }).replace('export default', 'const original =')}
const game = { ...original };
const overrides = {};
game.dimensions = (options) => {
  ${at('dimensions')}
  return original.dimensions(options);
};
game.start = (options) => {
  ${at('start')}
  const job = original.start(options);
  const { step, writeFrame, checkpoint } = job;
  job.step = (...given) => {
    ticks++;
    ${at('tick')}
    step.apply(job, given);
  };
  job.writeFrame = (target) => {
    memory ??= new Int32Array(target.buffer);
    ${at('frame')}
    const length = writeFrame.call(job, target);
    return ticks < editFrom ? length : edit(target, length);
  };
  job.checkpoint = (target) => {
    memory ??= new Int32Array(target.buffer);
    ${at('checkpoint')}
    const length = checkpoint.call(job, target);
    return ticks < editFrom ? length : edit(target, length);
  };
  for (const [name, value] of Object.entries(overrides)) {
    Object.defineProperty(job, name, { value, configurable: true, writable: true });
  }
  return job;
};
export default game;
process.on('exit', () => {
  ${at('exit')}
});
if (isRead) {
  ${at('read')}
} else {
  ${at('import')}
}
`;
}
