/**
 * Replaces the exit of a zygote and its children. Node's own exit joins the threads of its platform, which a forked
 * child does not have, and writes to shared pages while it frees the heap. Here every exit ends in _exit(2), with the
 * exit status, events and output of Node.
 */
import { inspect } from 'node:util';

const UNCAUGHT = 1;
const HANDLER_THREW = 7; // "Internal Exception Handler Run-Time Failure"
const ORIGINS = new Set(['uncaughtException', 'unhandledRejection']);

/**
 * Replaces Node's exit.
 * @param {(code: number) => never} exitNow ends the process
 * @param {(error: unknown) => void} report is called with an uncaught error before it ends the process
 * @returns {{onEmpty: (isEnd: boolean) => void}} for whenEmpty() of the addon
 */
export function replaceExit(exitNow, report) {
  const emit = process.emit;

  const exitWithCode = () => exitNow(Number(process.exitCode ?? 0));

  /** @param {unknown[]} args @returns {never} */
  function emitExit(args) {
    try {
      Reflect.apply(emit, process, ['exit', ...args]);
    } catch (error) {
      writeError(error);
      process.exitCode = HANDLER_THREW;
    }
    return exitWithCode();
  }

  /** @param {unknown} error @param {unknown[]} args */
  function emitUncaught(error, args) {
    let handled;
    try {
      handled = Reflect.apply(emit, process, ['uncaughtException', error, ...args]);
    } catch (thrown) {
      writeError(thrown);
      report(thrown);
      return end(HANDLER_THREW);
    }
    if (handled) return true;
    writeError(error);
    report(error);
    return end(UNCAUGHT);
  }

  /** @param {number} code */
  function end(code) {
    if (code !== 0) process.exitCode = code;
    Reflect.set(process, '_exiting', true);
    return emitExit([code]);
  }

  process.emit = /** @type {any} */ (
    /** @this {NodeJS.Process} @param {string} event @param {...unknown} args */
    function (event, ...args) {
      if (event === 'exit' && Reflect.get(process, '_exiting')) return emitExit(args);
      if (event === 'uncaughtException' && ORIGINS.has(String(args[1]))) {
        return emitUncaught(args[0], args.slice(1));
      }
      return Reflect.apply(emit, this, [event, ...args]);
    }
  );
  /** @param {boolean} isEnd false: the event loop is empty, but a listener of 'beforeExit' may add work */
  function onEmpty(isEnd) {
    if (isEnd) end(Number(process.exitCode ?? 0));
    else Reflect.apply(emit, process, ['beforeExit', Number(process.exitCode ?? 0)]);
  }
  Reflect.set(process, 'reallyExit', (/** @type {unknown} */ code) => exitNow(Number(code ?? 0)));
  return { onEmpty };
}

/** @param {unknown} error */
function writeError(error) {
  process.stderr.write(`Uncaught:\n${inspect(error)}\n\nNode.js ${process.version}\n`);
}
