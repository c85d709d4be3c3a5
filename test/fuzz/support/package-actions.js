/** Chooses what a package does: random things at random moments, as source text, which a failure prints. */
import fc from 'fast-check';
import { HEADER, MAGIC } from '../../../app/engine/mailbox/layout.js';
import { KIND } from '../../../app/engine/zygote/channel.js';
import { HEADER_AT } from '../../../app/game/frame.js';

/**
 * @typedef {object} Action
 * @property {string} kind one of KINDS
 * @property {string} at one of MOMENTS
 * @property {string} text statements
 *
 * @typedef {Action[]} Package
 */

/** @param {string} text */
const words = (text) => text.split(' ');

/**
 * When a package acts. read: when it is imported to be described; import: when it is imported for a match; the others:
 * in its functions, and when its process exits.
 */
const MOMENTS = words(
  'read dimensions import import start start tick tick tick frame checkpoint exit',
);
const READ_MOMENTS = words('read dimensions exit');
const TICK_MOMENTS = words('tick frame checkpoint');

/**
 * Joins text and arbitraries of text or numbers.
 * @param {TemplateStringsArray} strings @param {unknown[]} values @returns {fc.Arbitrary<string>}
 */
function code(strings, ...values) {
  const parts = values.map((each) => (each instanceof fc.Arbitrary ? each : fc.constant(each)));
  return fc.tuple(...parts).map((given) => String.raw(strings, ...given));
}

/** @param {number} min @param {number} max */
const whole = (min, max) => fc.integer({ min, max });
/** Short times are frequent. */
const ms = fc.oneof(whole(1, 40), whole(40, 400));
const length = fc.oneof(whole(0, 40), whole(0, 5000), whole(60_000, 300_000));
const word = fc.oneof(whole(-2, 9), whole(-(2 ** 31), 2 ** 31 - 1), fc.constantFrom(MAGIC));
const seed = whole(1, 2 ** 30);
const fd = whole(3, 63);
const times = fc.constantFrom(1, 1, 3, 500);

const SIMPLE =
  "undefined null true NaN Infinity -1 0.5 1e308 10n '' '9' {} [] [[[]]] globalThis process Object.create(null)";
/** Expressions of values that a reader may not expect. */
const odd = fc
  .constantFrom(
    ...words(SIMPLE),
    '2 ** 31',
    '2 ** 53',
    "'x'.repeat(2 ** 20)",
    "'\\u0000\\ud800\\u202e'",
    'Symbol("s")',
    '() => 9',
    'new Map()',
    'new Error("x".repeat(2 ** 20))',
    'Object.assign(new Error("a"), { code: "EAGAIN", cause: new Error("b") })',
    '{ get message() { throw 1 }, get code() { for (;;); } }',
    '{ get stack() { throw 2 }, get cause() { return this }, __proto__: Error.prototype }',
    '{ toString: 1, valueOf: 1, [Symbol.toPrimitive]: 1 }',
    '{ toString() { throw 3 }, toJSON() { for (;;); } }',
    '{ then(resolve) { resolve(this) } }',
    '{ then() {} }',
    'new Proxy({}, { get() { throw 4 }, ownKeys() { throw 5 }, getPrototypeOf() { throw 6 } })',
    'new Proxy(() => 9, { get: (target, key) => (key === "then" ? undefined : target) })',
  )
  .map((value) => `(${value})`);
/** Functions that replace one of Node.js, JavaScript, or the game. */
const oddFunction = fc.oneof(
  code`() => { throw ${odd} }`,
  code`() => (${odd})`,
  code`async () => (${odd})`,
  code`function* () { yield (${odd}) }`,
  code`(...given) => given[0]`,
  code`() => spin(${ms})`,
  fc.constant('() => new Promise(() => {})'),
  fc.constant('() => { for (;;); }'),
);

/** A body of a report, as text of an expression. */
const body = fc.oneof(
  code`random(${length}, ${seed})`,
  code`Buffer.alloc(${length}, 97)`,
  code`failure(${whole(1, 6)}, ${whole(0, 20_000)})`,
  code`serialize([${odd}])`,
  code`Buffer.from(JSON.stringify({ game: original, dimensions: { capacity: ${word}, decor: ${word}, stateWords: ${word} } }))`,
  fc.constant(`Buffer.from('{"game":'.repeat(9000))`),
);
const kindOfReport = fc.oneof(fc.constantFrom(...Object.values(KIND)), whole(0, 255));

const header = fc.constantFrom(...Object.values(HEADER));

/** What packages replace: the names of an object's properties. */
const REPLACED = {
  Atomics: 'store load add exchange or compareExchange',
  JSON: 'stringify parse',
  Object: 'keys freeze entries defineProperty',
  Reflect: 'get',
  Math: 'max random',
  'Array.prototype': 'push map join slice values',
  'Promise.prototype': 'then catch finally',
  'Map.prototype': 'get set has',
  'Function.prototype': 'call apply bind toString',
  'String.prototype': 'slice',
  'Uint8Array.prototype': 'set',
  'Symbol.prototype': 'toString',
  process: 'exit reallyExit emit on once nextTick kill emitWarning hrtime',
  Buffer: 'from alloc concat',
  'Buffer.prototype': 'writeUInt32LE',
  performance: 'now',
  Date: 'now',
  Error: 'prepareStackTrace',
  fs: 'writeSync',
  globalThis: 'setTimeout setInterval clearTimeout queueMicrotask Error Promise Buffer',
};
const replaced = fc.constantFrom(
  ...Object.entries(REPLACED).flatMap(([owner, names]) =>
    words(names).map((name) => `${owner}.${name}`),
  ),
);

const headOfFrame = fc.constantFrom(...Object.values(HEADER_AT), HEADER_AT.bodies + 1);

/** What packages do, by kind. @type {Record<string, fc.Arbitrary<string>[]>} */
const ACTIONS = {
  descriptors: [
    code`attempt(() => fs.writeSync(${fd}, random(${length}, ${seed})));`,
    code`each((fd) => fs.writeSync(fd, random(${length}, ${seed})));`,
    // Looks like the uv_signal_t of libuv's signal pipe: a pointer and a number of a signal.
    code`each((fd) => { const message = random(16, ${seed}); message.writeInt32LE(${whole(1, 64)}, 8); fs.writeSync(fd, message); });`,
    code`attempt(() => fs.closeSync(${fd}));`,
    code`each((fd) => fs.closeSync(fd));`,
    code`attempt(() => fs.closeSync(${fd})); attempt(() => fs.openSync(new URL(import.meta.url)));`,
    code`attempt(() => fs.readSync(${fd}, Buffer.alloc(${length})));`,
    code`attempt(() => new Socket({ fd: ${fd} }).on('error', () => {}).${fc.constantFrom('end()', 'destroy()', 'resume()', 'pause()', 'resetAndDestroy()', 'write("x")')});`,
    code`attempt(() => fs.${fc.constantFrom('fsyncSync', 'fdatasyncSync', 'fstatSync', 'ftruncateSync')}(${fd}));`,
    code`attempt(() => fs.fchmodSync(${fd}, ${whole(0, 0o777)})); attempt(() => fs.futimesSync(${fd}, 1, 1));`,
    code`fs.createReadStream('', { fd: ${fd} }).on('error', () => {}).resume();`,
  ],
  mailbox: [
    code`poke(${whole(0, 31)}, ${word});`,
    code`poke(${header}, ${word});`,
    code`poke(${fc.constantFrom(HEADER.tick, HEADER.frameSequence)}, (memory?.[${HEADER.tick}] | 0) + ${whole(-99, 99)});`,
    code`poke(${whole(32, 2000)}, ${word});`,
    code`for (let i = 0; i < ${whole(1, 400)}; i++) poke((i * ${seed}) % 9000, i * ${seed});`,
    code`for (let i = 0; i < ${length}; i++) poke(i % 23, ${word});`,
    code`memory?.fill(${word}, ${whole(0, 40)});`,
    code`if (memory) for (;;) poke(${header}, (memory[${HEADER.tick}] += ${whole(0, 2)}));`,
    code`if (memory) setInterval(() => poke(${header}, ${word}), ${whole(0, 9)});`,
  ],
  channel: [
    code`send(${kindOfReport}, ${body}, ${times});`,
    code`send(${kindOfReport}, ${body}, ${times});`,
    code`send(${kindOfReport}, Buffer.alloc(4), 1); send(${kindOfReport}, ${body}, 1);`,
    code`send(${kindOfReport}, ${body}, 1, ${whole(-40, 40)});`,
    code`send(${kindOfReport}, ${body}, 1, ${fc.constantFrom(2 ** 20, 2 ** 30, 2 ** 31, 2 ** 32 - 60_000)});`,
    code`each((fd) => { for (let i = 0; i < ${length}; i++) fs.writeSync(fd, random(1, ${seed})); });`,
    code`setInterval(() => send(${kindOfReport}, Buffer.alloc(4), 1), ${whole(0, 40)});`,
    code`process.stderr.write('x'.repeat(${length})); console.log('x'.repeat(${length}));`,
    code`for (let i = 0; i < ${length}; i++) attempt(() => fs.writeSync(2, 'x\n'));`,
    code`process.emitWarning(${odd});`,
  ],
  exports: [
    code`game.dimensions = ${oddFunction};`,
    code`game.dimensions = () => ({ capacity: ${odd}, decor: ${odd}, stateWords: ${odd} });`,
    code`game.dimensions = () => ({ capacity: ${word}, decor: ${word}, stateWords: ${word} });`,
    code`let calls = 0; game.dimensions = (options) => ({ ...original.dimensions(options), capacity: 1 + 7 * calls++ });`,
    code`game.start = ${oddFunction};`,
    code`game.start = async (options) => { await null; ${fc.constantFrom('return original.start(options)', 'throw new Error("late")', 'return new Promise(() => {})', 'process.exit(0)')} };`,
    code`game[${fc.constantFrom('"id"', '"title"', '"view"', '"options"', '"players"', '"toJSON"', '"teams"', '"translations"', '"rules"')}] = ${odd};`,
    code`Object.defineProperty(game, ${fc.constantFrom('"id"', '"options"', '"start"', '"then"', '"view"')}, { enumerable: true, get: ${oddFunction} });`,
    code`overrides[${fc.constantFrom('"step"', '"writeFrame"', '"checkpoint"', '"restore"', '"takeWarning"')}] = ${oddFunction};`,
    code`overrides.takeWarning = () => ${odd};`,
    code`overrides.checkpoint = (target) => { attempt(() => target.set(random(target.length, ${seed}))); return ${fc.oneof(whole(0, 400), odd)}; };`,
    code`Object.defineProperty(overrides, 'done', { enumerable: true, value: ${odd} });`,
  ],
  // A frame is edited after the game has written it, see frame.js; so its length may be wrong, too.
  frames: [
    code`edit = (bytes, length) => { bytes[${whole(0, 80)}] = ${whole(0, 255)}; return length };`,
    code`edit = (bytes, length) => { bytes[${headOfFrame}] = ${whole(0, 255)}; return length };`,
    code`edit = (bytes, length) => { bytes[${headOfFrame}] += ${whole(-3, 3)}; return length };`,
    code`edit = (bytes, length) => { bytes[length - ${whole(1, 40)}] ^= ${whole(1, 255)}; return length };`,
    code`edit = (bytes, length) => length + ${whole(-20, 20)};`,
    code`edit = (bytes, length) => (ticks % 2 ? length : ${whole(0, 40)});`,
    code`edit = (bytes) => { bytes.set(random(bytes.length, ${seed}), ${fc.constantFrom(0, 2, 9, 30)}); return ${fc.oneof(length, odd)} };`,
  ],
  globals: [
    code`attempt(() => (${replaced} = ${oddFunction}));`,
    code`Object.defineProperty(Object.prototype, '${fc.constantFrom('fd', 'then', 'code', 'cause', 'kind', 'get', 'value', 'signal', 'bytes', 'done')}', { configurable: true, ${fc.constantFrom('get', 'set')}: ${oddFunction} });`,
    code`Object.prototype.${fc.constantFrom('then', 'fd', 'lock', 'code', 'done', 'messages')} = ${odd};`,
    code`Object.defineProperty(process, '${fc.constantFrom('pid', 'exitCode', 'argv', 'env', 'stderr', 'title')}', { configurable: true, get: ${oddFunction} });`,
    code`process.${fc.constantFrom('title', 'exitCode')} = ${odd};`,
    code`process.removeAllListeners(${fc.constantFrom('', "'uncaughtException'", "'exit'")});`,
    code`for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit', 'uncaughtException']) process.on(name, ${oddFunction});`,
    code`Object.freeze(${fc.constantFrom('Atomics', 'process', 'Object.prototype', 'globalThis', 'Array.prototype')});`,
  ],
  timing: [
    fc.constant('for (;;);'),
    code`spin(${ms});`,
    code`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});`,
    fc.constant('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);'),
    fc.constant(
      'setInterval(() => {}, 0); setImmediate(function again() { setImmediate(again) });',
    ),
    fc.constant('process.nextTick(function again() { process.nextTick(again) });'),
    fc.constant('(function again() { Promise.resolve().then(again) })();'),
  ],
  memory: [
    fc.constant(
      'const hoard = []; for (;;) hoard.push(Array.from({ length: 1000 }, (_, i) => ({ i })));',
    ),
    fc.constant('const hoard = []; for (;;) hoard.push(Buffer.alloc(2 ** 20, 1));'),
    code`globalThis.hoard = Array.from({ length: ${whole(1, 300)} }, () => Buffer.alloc(2 ** 20, 1));`,
    fc.constant("let text = 'x'; for (;;) text += text;"),
    code`new ${fc.constantFrom('ArrayBuffer', 'SharedArrayBuffer', 'Float64Array', 'Array')}(${fc.constantFrom('2 ** 31', '2 ** 32 - 1', '2 ** 40', '-1')});`,
    code`new WebAssembly.Memory({ initial: ${whole(0, 65_536)} });`,
    fc.constant('(function again() { again() })();'),
  ],
  ends: [
    code`process.exit(${odd});`,
    code`process.exit(${whole(0, 255)});`,
    code`process.reallyExit(${whole(0, 255)});`,
    fc.constant('process.abort();'),
    code`process.kill(process.pid, ${whole(0, 31)});`,
    fc.constant("process.kill(process.pid, 'SIGSTOP');"),
    code`process.kill(process.ppid, ${fc.constantFrom("'SIGKILL'", "'SIGSTOP'", "'SIGTERM'")});`,
    code`throw ${odd};`,
    code`Promise.reject(${odd});`,
    code`setTimeout(() => { throw ${odd} }, ${whole(0, 60)});`,
    code`process.emit('uncaughtException', ${odd});`,
  ],
};
const KINDS = Object.keys(ACTIONS);

/** @param {string} kind @returns {fc.Arbitrary<Action>} */
function anyAction(kind) {
  const parts = fc.tuple(
    fc.constantFrom(...MOMENTS),
    fc.oneof(...ACTIONS[kind]),
    whole(1, 20),
    fc.boolean(),
  );
  return parts.map(([at, text, tick, again]) => {
    // A game that has started has no exports left to change.
    if (kind === 'exports' || kind === 'frames') {
      const when = READ_MOMENTS.includes(at) && kind === 'exports' ? 'read' : 'import';
      return { kind, at: when, text: `editFrom = ${tick}; ${text}` };
    }
    if (!TICK_MOMENTS.includes(at)) return { kind, at, text };
    return { kind, at, text: `if (ticks ${again ? '>=' : '==='} ${tick}) { ${text} }` };
  });
}

/** @type {fc.Arbitrary<Package>} */
export const anyPackage = fc.array(fc.oneof(...KINDS.map(anyAction)), {
  minLength: 1,
  maxLength: 4,
  size: 'max',
});
