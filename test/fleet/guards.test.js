/**
 * Explores what may happen to a fleet of three nodes and one match: at no time do two of them show the match, it is not
 * lost while most nodes live, and a node that pauses it says why. Guards with errors in them must be found.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extent } from '../support/extent.js';
import { explore } from './explore.js';
import { loadGuards } from './model-node.js';
import { World } from './model.js';

const guards = loadGuards();
const EVENTS = 12;
/** Failures of any kind and duration, one after the other. */
const FAILURES = extent(1, 2);

for (const partition of /** @type {const} */ (['pause', 'continue'])) {
  test(`whatever happens, one node shows the match, with --fleet-partition ${partition}`, (t) => {
    const most = { events: EVENTS, failures: FAILURES };
    const states = explore(new World(guards, partition), most);
    t.diagnostic(`${states} states`);
    assert.ok(states > 400);
  });
}

const ALONE = 'a is alone';
const DEAF = 'c hears nobody';
const LATE = 'messages are late';
const LOST = 'changes are lost';
const NO_WRITES = 'no JetStream';

/** What the model throws when something is wrong with the match, and not with the source. */
const BROKEN =
  /two owners|old checkpoint|former owner|a moment ago|does not say why|is lost, after/;

/**
 * @typedef {object} Mistake
 * @property {string} from what the source has @property {string} to what a mistake makes of it
 * @property {string[]} [failures] with which it is found; by default ALONE
 * @property {number} [most] how many of them; by default each one
 * @property {'continue'} [partition] @property {number} [tick] of a match that is resumed
 */

/** @type {Record<string, Mistake>} */
const MISTAKES = {
  'the lease or the confirmation is enough to show a match': {
    from: 'membership.hasLease && matches.isConfirmed(id)',
    to: 'membership.hasLease || matches.isConfirmed(id)',
  },
  'the lease counts as lost since it was lost for the first time': {
    from: '    this.#lostAt = Infinity;\n    if (this.isCutOff ||',
    to: '    if (this.isCutOff ||',
  },
  'with "continue", matches are shown before the node is cut off': {
    from: "partition === 'continue' && this.isCutOff",
    to: "partition === 'continue'",
    partition: 'continue',
  },
  'the lease is longer than the time until a node is declared dead': {
    from: 'LEASE_MS = 800',
    to: 'LEASE_MS = 2000',
  },
  'one node can declare another one dead': {
    from: 'own + others.length >= this.majority',
    to: 'own + others.length >= 1',
    failures: ['a and b are apart'],
  },
  'a node that was declared dead shows its matches before it has written their checkpoints': {
    from: '    matches.confirmAll();',
    to: '',
    failures: [ALONE, 'no JetStream, changes are lost'],
    most: 1,
  },
  'a former owner can write a checkpoint': {
    from: '{ previousSeq, timeout }));',
    to: '{ timeout }));',
  },
  'a former owner takes the mark of another node for its own checkpoint': {
    from: "readMark(entry.value).by !== ''",
    to: 'false',
    failures: [ALONE, 'a and b are apart'],
  },
  'a bucket that was lost is the mark of another node': {
    from: 'if (entry && (',
    to: 'if (!entry || (',
    failures: ['JetStream has lost everything'],
  },
  'a node is alone although a server has not answered': {
    from: 'servers >= this.#members.size &&',
    to: '',
    failures: [ALONE, 'b dies'],
  },
  'a node is alone although others are connected to the servers': {
    from: '&& others.length === 0',
    to: '',
    failures: ['c hears nobody'],
  },
  'a match whose checkpoint a newer owner has removed can be taken over': {
    from: "else if (entry?.operation === 'DEL' && (i > 0 || owners.length === 1)) throw fenced();",
    to: '',
    failures: [ALONE, LATE],
  },
  'a match whose new owner has written no checkpoint begins again': {
    from: 'bytes.length > 0 || i + 1 === owners.length',
    to: 'true',
    failures: [ALONE, `${ALONE}, one beat`, 'b dies'],
  },
  'a match that a node was taking over when it died is left to it': {
    from: 'owners.includes(by) || !membership.isGone(by)',
    to: 'true',
    failures: [ALONE, `${ALONE}, answers of JetStream are lost`, 'b dies'],
  },
  'the first checkpoint of a new owner replaces any mark': {
    from: 'void this.#learnRevision(id);',
    to: '',
    failures: [ALONE, `${ALONE}, one beat`, 'b is alone'],
    most: 4,
  },
  'a node that has taken over its own match and died has marked it for ever': {
    from: "by === '' || by === node",
    to: "by === ''",
    failures: ['a dies'],
    most: 2,
  },
  'a node that has lost a match and does not know the new owner keeps that to itself': {
    from: 'if (record?.node === node) tables.set',
    to: 'if (false) tables.set',
    failures: [ALONE, `${ALONE}, answers of JetStream are lost`],
  },
  'a node tells about a match that it is losing': {
    from: 'if ((this.#fleet.record(match.id)?.epoch ?? 0) > workerOf(match).epoch) return;',
    to: '',
    failures: [ALONE, NO_WRITES],
  },
  'a record has an earlier start of the node that runs the match': {
    from: 'if (isNews) this.#tell(match);',
    to: '',
    failures: ['no link'],
  },
  'others know a resumed match before they have its checkpoint': {
    from: 'if (!this.isPrivate(match.id)) this.#publish(match);',
    to: 'this.#publish(match);',
    tick: 50,
  },
  'a match can be taken from a start that may live': {
    from: "if (by === '' && !mayTake(node, start)) throw fenced();",
    to: '',
    failures: [LOST, LATE],
  },
  'a start that only others have seen dead stays alive': {
    from: 'return Math.max(start, ...',
    to: 'return Math.max(start, ...[] ?? ',
    failures: [DEAF, 'b is alone', 'a dies'],
  },
  'a node that has all servers to itself stays in a start that others have declared dead': {
    from: '&& !membership.isAlone ',
    to: '',
    failures: [ALONE, 'a and b has no server'],
  },
};
for (const [name, mistake] of Object.entries(MISTAKES)) {
  const { from, to, failures = [ALONE], partition = 'pause', tick } = mistake;
  const { most = failures.length } = mistake;
  test(`the exploration finds a mistake: ${name}`, () => {
    const broken = loadGuards((source) => {
      const changed = source.replace(from, to);
      assert.notEqual(changed, source);
      return changed;
    });
    const run = (/** @type {object} */ each) =>
      explore(new World(each, partition, failures, tick), { events: EVENTS, failures: most });
    assert.throws(() => run(broken), BROKEN);
    if (most < 3) run(guards);
  });
}
