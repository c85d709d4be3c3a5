/** Defines and checks the options of a zygote and of its children. */
import { fstatSync } from 'node:fs';
import { workerLimits } from '../../limits/workers.js';
import {
  anyText,
  anything,
  boolean,
  callable,
  checkOptions,
  integer,
  list,
  object,
  text,
} from '../../options.js';
import { MAX_MESSAGE_BYTES } from './channel.js';

/** A request can carry 16: the channel, three for stdio, and these (native/zygote/zygote.h). */
const MAX_DESCRIPTORS = 12;
const MAX_NAME = 128;
const MAX_FLAGS = 256;
const MAX_FLAG_CHARS = 1 << 20;
const MAX_MEMORY_MB = 1024 * 1024;
const STDIO_WORDS = ['inherit', 'ignore', 'pipe'];

/**
 * @typedef {'inherit' | 'ignore' | 'pipe' | number} Stdio as for child_process.spawn(): the zygote's descriptor,
 *   /dev/null, a stream of the handle, or a descriptor of this process
 *
 * @typedef {object} ForkOptions
 * @property {string} [name] process title, up to 128 characters; the first 15 bytes are the name in ps and top;
 *   default 'worker'
 * @property {number} [niceness] -20..19; default: the zygote's
 * @property {number[]} [cpus] 0..63, the CPUs that the child may use; default: the zygote's
 * @property {number} [memoryMb] 1..1,048,576: limit of private writable memory (heap, buffers, stacks) in addition to
 *   the zygote's. Allocations over the limit fail, which usually ends the child. Default: none
 * @property {Stdio | [Stdio, Stdio, Stdio]} [stdio] for stdout and stderr, or for all three; default 'inherit'
 * @property {number[]} [descriptors] up to 12 descriptors to pass on; keep them open until fork() resolves
 * @property {number} [maxMessageBytes] longest message from the child, 1,024..2^30. This process has to buffer a whole
 *   message, so it kills a child that announces a longer one. Default: workerMessageBytes of app/limits/workers.js
 *
 * @property {boolean} [messages] false: the child may send reports (`worker.report()`), so many at a time, but no
 *   messages. The handle emits 'report' (kind, text). Default true
 * @property {boolean} [endsWithZygote] whether the child makes the kernel end it with its zygote (`leaveZygote()` of
 *   the addon), so that the zygote must not be replaced while the child runs; default false
 *
 * @typedef {import('../../options.js').Field} Field
 */

/** @param {unknown} fd */
function isOpen(fd) {
  if (typeof fd !== 'number' || !Number.isInteger(fd) || fd < 0) return false;
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}

/** @type {Field} */
const descriptor = { allowed: 'an open file descriptor', accepts: isOpen };
/** @type {Field} */
const stdio = {
  allowed: `'inherit', 'ignore', 'pipe' or an open file descriptor`,
  accepts: (value) => STDIO_WORDS.includes(value) || isOpen(value),
};
const threeStdio = list(stdio, 3, 3);

const ZYGOTE_FIELDS = {
  args: anything,
  draft: anything,
  rehearse: boolean(true),
  name: text(MAX_NAME, 'zygote'),
  spares: integer(0, 8, 1),
  ownSession: boolean(true),
  flags: { ...list(anyText(MAX_FLAG_CHARS), 0, MAX_FLAGS), fallback: [] },
  env: object(),
  stdio: { ...threeStdio, fallback: ['ignore', 'inherit', 'inherit'] },
  around: callable((/** @type {() => unknown} */ spawn) => spawn()),
};

const FORK_FIELDS = {
  name: text(MAX_NAME, 'worker'),
  niceness: integer(-20, 19),
  cpus: list(integer(0, 63), 1, 64),
  memoryMb: integer(1, MAX_MEMORY_MB),
  stdio: {
    allowed: `${stdio.allowed}, or an array of three of these`,
    accepts: (/** @type {unknown} */ value) => stdio.accepts(value) || threeStdio.accepts(value),
    fallback: 'inherit',
  },
  descriptors: list(descriptor, 0, MAX_DESCRIPTORS),
  maxMessageBytes: integer(1024, MAX_MESSAGE_BYTES, workerLimits.workerMessageBytes.value),
  messages: boolean(true),
  endsWithZygote: boolean(false),
};

/**
 * @typedef {import('./index.js').ZygoteOptions} ZygoteOptions
 * @typedef {ZygoteOptions & Required<Omit<ZygoteOptions, 'args' | 'draft'>>} CheckedZygoteOptions
 */

/**
 * Checks the options of createZygote() and fills in defaults.
 * @param {unknown} options
 * @returns {CheckedZygoteOptions}
 * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
 */
export function checkZygoteOptions(options) {
  const checked = checkOptions('createZygote()', ZYGOTE_FIELDS, options);
  return { ...checked, env: checked.env ?? process.env };
}

/**
 * Checks the options of fork() and fills in defaults. The descriptors must be open; if one is closed before the request
 * is sent, the request fails.
 * @param {unknown} options
 * @returns {ForkOptions & {name: string, stdio: any, maxMessageBytes: number, messages: boolean, endsWithZygote:
 *   boolean}}
 * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
 */
export function checkForkOptions(options) {
  return checkOptions('fork()', FORK_FIELDS, options);
}
