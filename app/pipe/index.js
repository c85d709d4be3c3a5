/**
 * Connects child processes. A pipe of Node.js's child_process is a pair of Unix sockets with the system's default
 * buffers (208 KB on Linux), read 64 KB at a time into a new buffer each. Here it is a socket pair or a pipe with a
 * buffer of 1 MiB, read into a few large buffers that are reused.
 *
 *   const [decoder, encoder] = await connectChildren(            // no byte passes through this process
 *     { command: 'ffmpeg', args: decoding },
 *     { command: 'ffmpeg', args: encoding },
 *   );
 *   await Promise.all([decoder.done(), encoder.done()]);
 *
 *   const from = await startChild('ffmpeg', decoding, { stdout: 'pipe' });
 *   const to = await startChild('ffmpeg', encoding, { stdin: 'pipe' });
 *   await relay(from.stdout, to.stdin, (bytes) => hash.update(bytes));
 *
 * Without the native addon, all but openPipe() works through Node.js's own pipes, more slowly.
 */
import '../native/refuse-bundle.js';
import { anything, callable, checkOptions, checkValue, object } from '../options.js';
import { SIGNAL, openIfNative, startChild } from './child.js';
import { Sink, Source } from './child-stream.js';
import { PIPE_FIELDS } from './ends.js';

export { PitvError } from '../errors.js';
export { Child, startChild } from './child.js';
export { Sink, Source } from './child-stream.js';
export { PipeEnds, openPipe } from './ends.js';

/** @typedef {import('./child.js').StartOptions} StartOptions */
/** @typedef {import('./child.js').Exit} Exit */
/** @typedef {import('./ends.js').PipeOptions} PipeOptions */
/**
 * @typedef {object} Program
 * @property {string} command a path, or a name that is looked up in PATH
 * @property {string[]} [args]
 * @property {StartOptions} [options] except the `stdout` of a source and the `stdin` of a target
 *
 * @typedef {Pick<PipeOptions, 'kind' | 'bufferBytes'> & {signal?: AbortSignal}} ConnectOptions signal: stops both;
 *   default: those of the programs, each of which stops one
 */

const CONNECT_FIELDS = {
  kind: PIPE_FIELDS.kind,
  bufferBytes: PIPE_FIELDS.bufferBytes,
  signal: SIGNAL,
};
/** startChild() checks the others. */
const PROGRAM_FIELDS = { command: anything, args: anything, options: object() };
const SOURCE = object(Source, "the stdout of a child that was started with stdout: 'pipe'");
const SINK = object(Sink, "the stdin of a child that was started with stdin: 'pipe'");

/**
 * Starts two programs and connects the stdout of the source to the stdin of the target. The kernel passes the bytes,
 * and blocks the source while the target is busy. When one ends, the other finds its end of the pipe closed. A source
 * that ignores this (SIGPIPE and EPIPE) goes on until it is stopped.
 * @param {Program} source @param {Program} target
 * @param {ConnectOptions} [options]
 * @returns {Promise<[source: import('./child.js').Child, target: import('./child.js').Child]>}
 * @throws {import('../errors.js').PitvError} as startChild() does; then neither runs
 */
export async function connectChildren(source, target, options = {}) {
  for (const [name, program] of Object.entries({ source, target })) {
    checkValue('connectChildren()', name, object(), program);
    checkOptions(`${name} of connectChildren()`, PROGRAM_FIELDS, program);
  }
  const { signal, ...wiring } = checkOptions('connectChildren()', CONNECT_FIELDS, options);
  const ends = openIfNative(wiring);
  /** @type {import('./child.js').Child | undefined} */
  let second;
  try {
    // The target is first: without the addon, Node.js would begin to read from a source.
    const stdin = ends?.reading ?? 'pipe';
    second = await startChild(target.command, target.args, {
      ...target.options,
      signal: signal ?? target.options?.signal,
      stdin,
    });
    const stdout = ends?.writing ?? second.process.stdin ?? 'ignore';
    const first = await startChild(source.command, source.args, {
      ...source.options,
      signal: signal ?? source.options?.signal,
      stdout,
    });
    return [first, second];
  } catch (error) {
    await second?.stop();
    throw error;
  } finally {
    ends?.close();
    if (!ends) second?.stdin?.destroy(); // the source has its own descriptor
  }
}

/**
 * Passes all bytes from one child to another through this process. Waits for a slow target. Closes the sink at the end
 * of the source. After an error both ends are closed.
 * @param {Source | undefined} source stdout of a child @param {Sink | undefined} sink stdin of a child
 * @param {(bytes: Buffer) => void} [inspect] is called with every chunk, which is valid until it returns
 * @returns {Promise<number>} bytes
 * @throws {import('../errors.js').PitvError} PITV_OPTION_INVALID; PITV_PIPE_CLOSED: the target stopped reading;
 *   PITV_PIPE_FAILED; PITV_CHILD_ABORTED; also an error of inspect()
 */
export async function relay(source, sink, inspect = () => {}) {
  checkValue('relay()', 'source', SOURCE, source);
  checkValue('relay()', 'sink', SINK, sink);
  checkValue('relay()', 'inspect', callable(), inspect);
  const [from, to] = [/** @type {Source} */ (source), /** @type {Sink} */ (sink)];
  let total = 0;
  try {
    await from.consume((bytes) => {
      total += bytes.length;
      inspect(bytes);
      return to.write(bytes);
    });
    await to.end();
  } catch (error) {
    from.destroy();
    to.destroy();
    throw error;
  }
  return total;
}
