import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import test from 'node:test';
import { silentLog } from '../../app/log.js';
import { Failures, describeProblem } from '../../app/match/failures.js';
import { MATCH_LIMITS } from '../../app/match/timers.js';
import { ResilientWorker } from '../../app/match/resilient-worker.js';
import { makeFrame } from '../support/frame.js';
import { until } from '../support/tv.js';

const CHECKPOINT = { bytes: new Uint8Array([1, 2, 3]), tick: 600 };

/** An engine whose workers start and fail when the test says so. */
class FakeEngine {
  /** @type {EventEmitter[]} */
  workers = [];
  /** Errors of the next starts. @type {Error[]} */
  errors = [];
  mailboxes = 0;
  starts = 0;
  /** Paths of the modules that were started. @type {string[]} */
  urls = [];
  /** @type {any} */
  lastRequest;

  isOpen = true;
  createMailbox() {
    this.mailboxes++;
    /** @type {any} */
    const mailbox = { checkpoint: undefined };
    mailbox.putCheckpoint = (/** @type {Uint8Array} */ bytes, /** @type {number} */ tick) => {
      mailbox.checkpoint = { bytes, tick };
    };
    return mailbox;
  }
  freeMailbox() {
    this.mailboxes--;
  }
  /** @param {string} url @param {any} request */
  async start(url, request) {
    this.starts++;
    this.urls.push(new URL(url).pathname);
    this.lastRequest = request;
    request.signal.throwIfAborted();
    const error = this.errors.shift();
    if (error) throw error;
    const worker = Object.assign(new EventEmitter(), {
      pid: this.starts,
      stop: async () => void this.workers.splice(this.workers.indexOf(worker), 1),
    });
    this.workers.push(worker);
    return worker;
  }
  /** @param {string} reason */
  fail(reason) {
    this.workers.pop()?.emit('exit', { reason });
  }
}

/** @param {Partial<import('../../app/match/timers.js').MatchLimits>} [limits] */
function setUp(limits) {
  const engine = new FakeEngine();
  const worker = new ResilientWorker({
    engine: /** @type {any} */ (engine),
    url: 'file:///game.js',
    name: 'game',
    sizes: { inputSlots: 1, frameBytes: 64, checkpointBytes: 64 },
    frames: { slots: 1, records: 1, kinds: 1, events: 1, lines: [false] },
    options: {},
    log: silentLog,
    limits: { ...MATCH_LIMITS, ...limits },
  });
  /** @type {string[]} */
  const events = [];
  worker.on('running', () => events.push('running'));
  worker.on('warning', (sentence) => events.push(sentence));
  worker.on('restart', ({ reason }) => events.push(`restart: ${reason}`));
  worker.on('end', (reason) => events.push(reason));
  /** Lets the worker fail, and waits for the next one. @param {string} reason */
  const failAndRestart = async (reason) => {
    const restarted = once(worker, 'running');
    engine.fail(reason);
    assert.equal(worker.running, false);
    await restarted;
  };
  return { engine, worker, events, failAndRestart };
}

test('a worker that fails is replaced by one with the same mailbox, until there are too many failures', async () => {
  const { engine, worker, events, failAndRestart } = setUp({ failures: 2 });
  await worker.start();
  assert.equal(worker.pid, 1);
  engine.workers[0].emit('warning', 'It is slow.');
  const { mailbox } = engine.lastRequest;
  await failAndRestart('hung');
  assert.equal(worker.pid, 2);
  assert.equal(engine.lastRequest.mailbox, mailbox);
  assert.equal(worker.restarts, 1);
  assert.deepEqual(events.splice(0), ['running', 'It is slow.', 'restart: hung', 'running']);
  engine.fail('out-of-memory');
  assert.deepEqual(events, ['restart: out-of-memory', 'failed']);
  assert.equal(engine.starts, 2);
});

test('failures for lack of descriptors or memory do not count', async () => {
  const { engine, worker, events, failAndRestart } = setUp({ failures: 2 });
  await worker.start();
  engine.errors = ['EMFILE', 'ENOMEM', 'errno 24'].map((code) => new Error(`refused (${code})`));
  await failAndRestart('stopped');
  assert.equal(engine.starts, 5);
  assert.equal(worker.restarts, 4);
  assert.ok(!events.includes('failed'));
});

test('the first worker of a new match is tried once, that of a saved match again', async () => {
  const fresh = setUp();
  fresh.engine.errors = [new Error('broken')];
  await assert.rejects(fresh.worker.start(), /broken/);
  assert.equal(fresh.engine.starts, 1);

  const saved = setUp();
  saved.engine.errors = [new Error('broken')];
  await saved.worker.start(CHECKPOINT);
  assert.deepEqual(saved.worker.mailbox?.checkpoint, CHECKPOINT);
  await until(() => saved.worker.running, 'the second worker');
  assert.equal(saved.worker.restarts, 1);
});

test('the checkpoint of a saved match is known before the engine is open', async () => {
  const { engine, worker } = setUp();
  let open = () => {};
  const opened = new Promise((resolve) => (open = () => resolve(undefined)));
  Object.assign(engine, { isOpen: false, open: () => opened });
  const starting = worker.start(CHECKPOINT);
  assert.equal(worker.checkpoint, CHECKPOINT);
  const refused = assert.rejects(starting, { code: 'PITV_MATCH_OVER' });
  await worker.stop();
  open();
  await refused;
  assert.equal(worker.checkpoint, CHECKPOINT);
  assert.equal(engine.mailboxes, 0);
});

test('nothing is started or reported after stop()', async () => {
  const { engine, worker, events } = setUp();
  await worker.start();
  engine.errors = [new Error('EAGAIN')];
  engine.fail('crashed');
  await worker.stop();
  worker.close();
  assert.equal(worker.running, false);
  assert.equal(worker.mailbox, undefined);
  assert.deepEqual(events, ['running', 'restart: crashed']);
  assert.deepEqual([engine.workers.length, engine.mailboxes], [0, 0]);
  await assert.rejects(worker.start(), { code: 'PITV_MATCH_OVER' });
});

test('stop() aborts a start', async () => {
  const { engine, worker } = setUp();
  const start = engine.start.bind(engine);
  engine.start = (url, request) =>
    new Promise((resolve, reject) => {
      request.signal.addEventListener('abort', () => start(url, request).then(resolve, reject));
    });
  const refused = assert.rejects(worker.start(), { name: 'AbortError' });
  await worker.stop();
  await refused;
  assert.equal(worker.running, false);
});

test('a replaced worker is no failure, and the next one runs the other module', async () => {
  const { engine, worker, events } = setUp();
  await worker.start();
  engine.errors.push(new Error('the other module throws'));
  const done = worker.replace(() => worker.setModule({ url: 'file:///other.js' }));
  await worker.replace(() => worker.setModule({ url: 'file:///third.js' }));
  await done;
  assert.deepEqual(engine.urls, ['/game.js', '/other.js', '/other.js', '/third.js']);
  assert.deepEqual(events, ['running', 'restart: crashed', 'running', 'running']);
  assert.equal(worker.restarts, 1);
  const late = worker.replace(() => assert.fail('a worker that is stopped is not replaced'));
  await worker.stop();
  await late;
  assert.equal(engine.starts, 4);
});

test('a listener of the failure sets the module of the next worker', async () => {
  const { engine, worker, failAndRestart } = setUp({ failures: 2 });
  worker.on('restart', () => worker.setModule({ url: 'file:///good.js' }));
  await worker.start();
  for (let i = 0; i < 3; i++) {
    await failAndRestart('crashed');
  }
  assert.deepEqual(engine.urls, ['/game.js', '/good.js', '/good.js', '/good.js']);
});

test('a shortage is not counted for half a minute, and neither is one that begins after a pause', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const failures = new Failures({ failures: 2, failuresMs: 1000 });
  const lacking = new Error('refused (EMFILE)');
  for (const [at, shortage, count] of /** @type {[number, boolean, number][]} */ ([
    [0, true, 0],
    [29_999, true, 0],
    [30_000, false, 1],
    [59_999, false, 1],
    [89_999, true, 0],
  ])) {
    now = at;
    assert.deepEqual(failures.add(lacking), { shortage, last: false }, String(at));
    assert.equal(failures.count, count, String(at));
  }
  assert.deepEqual(failures.add(new Error('x')), { shortage: false, last: false });
  assert.deepEqual(failures.add(new Error('x')), { shortage: false, last: true });
  now += 1000;
  assert.equal(failures.add(new Error('x')).last, false, 'the others are too old');
  failures.clear();
  assert.equal(failures.count, 0);
});

test('a worker that breaks a rule is the last one, also as the cause of another error', () => {
  const codes = ['FRAME_INVALID', 'WORKER_REPORTS', 'WORKER_TICKS', 'ZYGOTE_MESSAGE'];
  const isLast = (/** @type {unknown} */ error) => {
    return new Failures({ failures: 3, failuresMs: 1000 }).add(error).last;
  };
  for (const code of codes) {
    assert.equal(isLast({ code: `PITV_${code}` }), true);
    assert.equal(isLast({ code: 'OTHER', cause: { code: `PITV_${code}` } }), true);
  }
  for (const error of [undefined, new Error('x', { cause: new Error('y') })]) {
    assert.equal(isLast(error), false);
  }
});

test('a failure is described by its error, or by its reason', () => {
  for (const [reason, error, at, expected] of [
    ['hung', undefined, undefined, 'a tick does not return'],
    ['killed', undefined, undefined, 'its worker ended: killed'],
    ['crashed', new TypeError('no'), 'pong.js:1', 'TypeError: no (pong.js:1)'],
    ['crashed', 'thrown', undefined, 'thrown'],
  ]) {
    assert.equal(describeProblem(String(reason), error, at && String(at)), expected);
  }
});

test('frames of a game of others are copied, and a wrong one ends its worker', async () => {
  for (const lock of [undefined, /** @type {any} */ ({})]) {
    const { engine, worker } = setUp();
    worker.setModule({ url: 'file:///game.js', lock });
    assert.deepEqual([worker.takeFrame(), worker.lastFrame], [undefined, undefined]);
    await worker.start();
    const mailbox = /** @type {any} */ (worker.mailbox);
    const good = makeFrame({ players: [{}] });
    const last = makeFrame({ players: [{}], tick: 9 });
    const written = [good];
    const failures = /** @type {any[]} */ ([]);
    mailbox.lastFrame = { bytes: last };
    mailbox.takeFrame = () => written.length > 0 && { bytes: written.shift() };
    Object.assign(engine.workers[0], {
      terminate: (/** @type {any[]} */ ...why) => failures.push(why),
    });
    const frame = worker.takeFrame();
    assert.deepEqual(frame, good);
    assert.equal(frame === good, lock === undefined);
    assert.deepEqual(worker.lastFrame, lock ? good : last);
    written.push(good);
    assert.deepEqual(worker.lastFrame, good);
    written.push(good.subarray(1));
    assert.equal(worker.takeFrame(), undefined);
    if (lock) assert.equal(worker.lastFrame, undefined);
    assert.deepEqual([failures[0][0], failures[0][1].code], ['crashed', 'PITV_FRAME_INVALID']);
  }
});
