/**
 * Leases and dead nodes: while the network does anything, a node that may be taken over has no lease. guards.test.js
 * explores what nodes that are cut off, suspended and dead do with their matches.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { BEAT_MS, EXPIRE_MS, LEASE_MS, Membership } from '../../app/fleet/membership.js';

const NAMES = ['a', 'b', 'c'];
const RUNS = 300;
const STEP_MS = 20;

/** A network of nodes with one clock, whose links can be cut and delayed. */
class Network {
  now = 0;
  /** @type {Map<string, Membership>} */
  nodes = new Map();
  /** Nodes that do not run now, such as a suspended process. @type {Set<string>} */
  stopped = new Set();
  /** @type {{at: number, to: string, beat: any}[]} */
  #messages = [];
  /** Links that lose everything, each as two names. @type {Set<string>} */
  cut = new Set();
  delayMs = 0;

  /** @param {string[]} names */
  constructor(names = NAMES) {
    for (const name of names) {
      const node = new Membership({ node: name, start: 1, clock: () => this.now });
      node.setMembers(new Map(names.map((each) => [each, { start: 1 }])));
      this.nodes.set(name, node);
    }
  }

  /** @param {string} name @returns {Membership} */
  node(name) {
    return /** @type {Membership} */ (this.nodes.get(name));
  }

  /** Lets time pass. @param {number} milliseconds */
  run(milliseconds, onStep = () => {}) {
    for (const end = this.now + milliseconds; this.now < end; this.now += STEP_MS) {
      if (this.now % BEAT_MS === 0) this.#sendBeats();
      const arrived = this.#messages.filter(({ at }) => at <= this.now);
      this.#messages = this.#messages.filter(({ at }) => at > this.now);
      for (const { to, beat } of arrived) this.#deliver(to, beat);
      onStep();
    }
  }

  #sendBeats() {
    for (const [from, node] of this.nodes) {
      if (this.stopped.has(from)) continue;
      const beat = structuredClone(node.beat({}));
      for (const to of this.nodes.keys()) {
        if (to === from || this.cut.has([from, to].sort().join())) continue;
        this.#messages.push({ at: this.now + this.delayMs, to, beat });
      }
    }
  }

  /** @param {string} to @param {any} beat */
  #deliver(to, beat) {
    if (this.stopped.has(to)) {
      this.#messages.push({ at: this.now + STEP_MS, to, beat }); // it is read later
      return;
    }
    const node = this.node(to);
    node.receive(beat);
    if (node.isDeclaredDead) node.startAgain();
  }
}

test('a node alone has the lease; one of two that are cut off has not', () => {
  assert.equal(new Network(['a']).node('a').hasLease, true);
  const two = new Network(['a', 'b']);
  two.run(1000);
  two.cut.add('a,b');
  two.run(LEASE_MS + BEAT_MS);
  assert.deepEqual([two.node('a').hasLease, two.node('b').hasLease], [false, false]);
  assert.equal(two.node('a').isDead('b', 1), false);
});

test('a node that another one hears is reached through that one, as long as it is not just slow', () => {
  const network = new Network();
  const ways = () => NAMES.map((name) => network.node(name).detour?.through);
  network.run(1000);
  network.cut.add('a,b');
  const cutAt = network.now;
  /** @type {number[]} */
  const foundAt = [];
  network.run(2000, () => ways().forEach((way, i) => way && (foundAt[i] ??= network.now - cutAt)));
  assert.deepEqual(ways(), ['c', 'c', undefined]);
  assert.ok(foundAt[0] < foundAt[1] && foundAt[1] < EXPIRE_MS, `after ${foundAt} ms`);
  network.cut.clear();
  network.run(BEAT_MS);
  assert.deepEqual(ways(), [undefined, undefined, undefined]);
  for (const delayMs of [400, 1500]) {
    network.delayMs = delayMs;
    network.run(5000, () => assert.deepEqual(ways(), [undefined, undefined, undefined]));
  }
  network.stopped.add('b');
  network.run(5000, () => assert.deepEqual(ways(), [undefined, undefined, undefined]));
  network.stopped.delete('b');
  network.run(5000, () => assert.deepEqual(ways(), [undefined, undefined, undefined]));
});

test('a start that no node has heard is dead as soon as most nodes say that they will not acknowledge it', () => {
  const network = new Network();
  network.run(1000);
  network.stopped.add('a');
  network.run(1000);
  network.node('b').mayTakeFrom('a', 7);
  network.node('b').mayTakeFrom('c', 1); // it has heard that one
  network.run(400);
  assert.equal(network.node('b').isDead('c', 1), false);
  network.run(2000);
  for (const name of ['b', 'c']) {
    assert.equal(network.node(name).isDead('a', 7), true);
    assert.equal(network.node(name).isDead('a', 8), false);
  }
});

test('a node whose TV took long to start calls no other one dead before it has listened', () => {
  let now = 0;
  const node = new Membership({ node: 'a', start: 1, clock: () => now });
  node.setMembers(new Map([['b', { start: 1 }]]));
  now += 3 * EXPIRE_MS;
  node.listen();
  assert.deepEqual(node.beat({}).dead, {});
  now += EXPIRE_MS - 1;
  assert.deepEqual(node.beat({}).dead, {});
  now += 2;
  assert.deepEqual(Object.keys(node.beat({}).dead), ['b']);
});

test('a node to which all servers say that no other one is connected is the whole fleet', () => {
  const network = new Network();
  network.run(1000);
  for (const name of ['a', 'b']) network.stopped.add(name);
  const node = network.node('c');
  /** @param {Parameters<Membership['noteServers']>[1]} answer */
  const ask = (answer, times = 10) => {
    for (let i = 0; i < times; i++) {
      network.run(BEAT_MS);
      node.noteServers(network.now, answer);
    }
    return [node.hasLease, node.isDead('a', 1), node.isDead('b', 1)];
  };
  assert.deepEqual(ask({ servers: 3, nodes: ['a', 'c'] }), [false, false, false]);
  assert.deepEqual(ask({ servers: 2, nodes: ['c'] }), [false, false, false]);
  assert.deepEqual(ask(undefined), [false, false, false]);
  assert.deepEqual(ask({ servers: 3, nodes: ['c', 'test'] }, 3), [false, false, false]);
  assert.deepEqual(ask({ servers: 3, nodes: ['c', 'test'] }), [true, true, true]);
  assert.deepEqual(ask({ servers: 3, nodes: ['b', 'c'] }, 1), [false, false, false]);
  ask({ servers: 3, nodes: ['c'] });
  network.run(LEASE_MS);
  assert.equal(node.hasLease, false, 'the answer is old');
});

test('strangers, old beats and beats of oneself are not received', () => {
  const node = new Membership({ node: 'a', start: 1 });
  node.setMembers(new Map([['b', { start: 1 }]]));
  const beat = { node: 'b', start: 2, sequence: 5, heard: {}, dead: {}, about: {} };
  assert.equal(node.receive({ ...beat, node: 'x' }), false);
  assert.equal(node.receive({ ...beat, node: 'a' }), false);
  assert.equal(node.receive(beat), true);
  assert.equal(node.receive(beat), false);
  assert.equal(node.receive({ ...beat, start: 1, sequence: 9 }), false);
  assert.equal(node.receive({ ...beat, sequence: 6 }), true);
});

const link = fc.constantFrom('a,b', 'a,c', 'b,c');
const event = fc.record({
  forMs: fc.integer({ min: 1, max: 100 }).map((steps) => steps * STEP_MS),
  cut: fc.uniqueArray(link),
  stopped: fc.uniqueArray(fc.constantFrom(...NAMES)),
  delayMs: fc.constantFrom(0, 40, 400, 1500),
});

test('whatever the network does, a start that is dead has no lease, and afterwards all have one', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 12 }), (events) => {
      const network = new Network();
      network.run(600);
      for (const { forMs, cut, stopped, delayMs } of events) {
        network.cut = new Set(cut);
        network.stopped = new Set(stopped);
        network.delayMs = delayMs;
        network.run(forMs, () => {
          for (const [name, node] of network.nodes) {
            if (!node.hasLease) continue;
            for (const other of network.nodes.values()) {
              assert.equal(other.isDead(name, node.start), false, `${other.node} calls it dead`);
            }
          }
        });
      }
      network.cut.clear();
      network.stopped.clear();
      network.delayMs = 0;
      network.run(3 * EXPIRE_MS);
      for (const { node, hasLease } of network.nodes.values()) assert.ok(hasLease, node);
    }),
    { numRuns: RUNS },
  );
});
