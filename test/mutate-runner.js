/**
 * Runs tests for Stryker in its own process: to start one for each change takes a hundred times as long. Test files get
 * this module instead of node:test. Stryker starts the process again after some changes, and when it hangs.
 */
import { register } from 'node:module';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';

/** Has test files, but not this one, import this one instead of node:test. */
const HOOK = `export const resolve = (name, context, next) =>
  name === 'node:test' && context.parentURL !== '${import.meta.url}'
    ? { url: '${import.meta.url}', shortCircuit: true }
    : next(name, context);`;

/** @typedef {{id: string, skip: unknown, fn: (t: any) => unknown, suites: Suite[]}} Test */
/** @typedef {{name: string, before: Function[], beforeEach: Function[], afterEach: Function[]}} Suite */
/** @type {Test[]} */
const tests = [];
/** The file and the calls of describe() that are being read. @type {Suite[]} */
let suites = [];

/** @param {string} name */
const makeSuite = (name) => ({ name, before: [], beforeEach: [], afterEach: [] });

/** @param {string} name @param {any[]} rest options and function */
export function test(name, ...rest) {
  const fn = rest.pop();
  const path = [...suites.map((suite) => suite.name), name].join(' > ');
  tests.push({ id: path, skip: rest[0]?.skip, fn, suites });
}
export default test;

/** @param {string} name @param {any[]} rest options and function */
export function describe(name, ...rest) {
  const outer = suites;
  suites = [...outer, makeSuite(name)];
  rest.pop()();
  suites = outer;
}

const add =
  (/** @type {'before' | 'beforeEach' | 'afterEach'} */ hook) => (/** @type {Function} */ fn) =>
    void suites.at(-1)?.[hook].push(fn);
export const [before, beforeEach, afterEach] = [add('before'), add('beforeEach'), add('afterEach')];
/** The process ends instead. */
export const after = () => {};
export { mock };

/** Time for a test. Most end within a second. */
const MAX_MS = Number(process.env.PITV_TEST_TIMEOUT_MS);
const { setTimeout, clearTimeout } = globalThis; // also while a test has timers of its own
/** @type {(error: unknown) => void} */
let fail = () => {};
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => fail(error));
}

/** Runs a test. @param {Test} test @returns {Promise<string | undefined>} why it has failed */
async function run({ fn, skip, suites: own }) {
  if (skip) return undefined;
  /** @type {Function[]} */
  const afters = [];
  const mocks = new /** @type {any} */ (mock.constructor)();
  const t = { mock: mocks, diagnostic() {}, skip() {} };
  Object.assign(t, {
    after: (/** @type {Function} */ each) => afters.push(each),
    test: (/** @type {any[]} */ ...about) => about.pop()(t),
  });
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    await new Promise((resolve, reject) => {
      fail = reject;
      timer = setTimeout(() => reject(new Error('It does not end.')), MAX_MS);
      (async () => {
        for (const { before } of own) while (before.length > 0) await before.shift()?.();
        for (const { beforeEach } of own) for (const each of beforeEach) await each();
        await fn(t);
      })().then(resolve, reject);
    });
    return undefined;
  } catch (error) {
    return String(Object(error).message ?? error) || 'failed';
  } finally {
    clearTimeout(timer);
    for (const each of afters) await Promise.resolve(each()).catch(() => {});
    for (const { afterEach } of own) for (const each of afterEach) await each();
    mocks.reset();
  }
}

const stryker = /** @type {any} */ (Reflect.get(globalThis, '__stryker__') ?? {});
Reflect.set(globalThis, '__stryker__', stryker);

export class Runner {
  /** @param {string[]} files */
  constructor(files) {
    this.files = files;
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
    for (const file of this.files) {
      suites = [makeSuite(file)];
      await import(pathToFileURL(file).href);
    }
  }

  /** Runs all tests on the code as it is, and notes what each of them runs. */
  async dryRun() {
    const results = [];
    for (const each of tests) {
      stryker.currentTestId = each.id;
      const start = performance.now();
      const failureMessage = await run(each);
      const timeSpentMs = performance.now() - start;
      const about = { id: each.id, name: each.id, timeSpentMs };
      results.push(
        failureMessage ? { ...about, status: 1, failureMessage } : { ...about, status: 0 },
      );
    }
    stryker.currentTestId = undefined;
    return { status: 'complete', tests: results, mutantCoverage: stryker.mutantCoverage };
  }

  /** Runs tests on changed code until one fails. @param {any} about */
  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    Object.assign(stryker, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    process.env.__STRYKER_ACTIVE_MUTANT__ = activeMutant.id; // for threads and processes
    let nrOfTests = 0;
    for (const each of tests) {
      if (testFilter && !testFilter.includes(each.id)) continue;
      nrOfTests++;
      const failureMessage = await run(each);
      if (failureMessage)
        return { status: 'killed', killedBy: [each.id], failureMessage, nrOfTests };
    }
    return { status: 'survived', nrOfTests };
  }
}
