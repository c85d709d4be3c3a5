/** A fleet with screens and a match, for tests and `make fleet-failures`. */
import { test as nodeTest } from 'node:test';
import { FleetConnection } from '../../app/fleet/connection.js';
import { silentLog } from '../../app/log.js';
import { Client } from '../../bench/harness/client.js';
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';
import { FleetNetwork } from '../../bench/network/fleet-network.js';
import { installedGames } from '../support/serve.js';
import { until } from '../support/tv.js';

/** With the zygote, the start of each TV takes seconds of CPU time. fleet.long.test.js tries it. */
const ENGINE = ['--engine', 'process'];
/** Of each TV's log, if a fleet does not come together. */
const LOG_BYTES = 8000;

/** @typedef {{after: (action: () => unknown) => void}} Context of a test, which ends what was started */

/** Longer than a node needs to be missed and a match to move. */
export const GIVE_UP_MS = 40_000;

/**
 * Defines a test that is skipped where there can be no fleet.
 * @param {string} title @param {import('node:test').TestFn} run
 */
export const test = (title, run) => nodeTest(title, { skip: missingForFleet }, run);

/**
 * Connects to the servers of a fleet, until the test ends.
 * @param {Context} t @param {LocalFleet} fleet
 * @param {Partial<Parameters<typeof FleetConnection.open>[0]>} [other] options
 */
export async function connectTo(t, fleet, other) {
  const connection = await FleetConnection.open({
    servers: fleet.urls,
    credentialsFile: fleet.credentials,
    caFile: '',
    node: 'test',
    log: silentLog,
    ...other,
  });
  t.after(() => connection.close());
  return connection;
}

/**
 * Starts the servers of a fleet, without TVs.
 * @param {Context} t @param {ConstructorParameters<typeof LocalFleet>[0]} [options]
 */
export async function startServers(t, options) {
  const fleet = new LocalFleet(options);
  t.after(() => fleet.stop());
  await fleet.startServers();
  return fleet;
}

/**
 * Starts a fleet with a screen at each node.
 * @param {Context} t
 * @param {{isCut?: boolean} & ConstructorParameters<typeof LocalFleet>[0]} [options] isCut: whether the nodes have a
 *   network that can be cut
 */
export async function startFleet(t, { isCut, flags = [], ...options } = {}) {
  const network = /** @type {FleetNetwork} */ (isCut ? new FleetNetwork(3) : undefined);
  const games = options.program ? '' : installedGames(); // another program has its own games
  const fleet = new LocalFleet({ games, flags: [...ENGINE, ...flags], ...options, network });
  t.after(async () => {
    await fleet.stop();
    await network?.close();
  });
  await fleet.start();
  const screens = await Promise.all(fleet.nodes.map((node) => Client.screen(node)));
  const { code } = await screens[0].wait('lobby');
  t.after(() => screens.forEach((screen) => screen.vanish()));
  await untilWhole(fleet);
  return { fleet, network, screens, code };
}

/** Waits until all nodes hear each other. @param {LocalFleet} fleet */
export async function untilWhole(fleet) {
  /** @type {any[]} */
  let states = [];
  const isWhole = async () => {
    states = await Promise.all(fleet.nodes.map((_node, i) => fleet.state(i)));
    return states.every(({ nodes }) => nodes.every((/** @type {any} */ node) => node.leased));
  };
  await until(isWhole, 'all nodes hear each other').catch((error) => {
    const logs = fleet.logs.map((log) => log.slice(-LOG_BYTES));
    throw new Error([error.message, JSON.stringify(states), ...logs].join('\n'));
  });
}

/**
 * Starts a match with a player, from a node.
 * @param {Context} t @param {Awaited<ReturnType<typeof startFleet>>} parts @param {number} from index of the node
 * @param {{game: string, options?: object}} [what]
 */
export async function startMatch(t, { fleet, screens, code }, from, what = { game: 'bumper' }) {
  const pad = await Client.pad(fleet.nodes[from], { code, name: 'Ann' });
  t.after(() => pad.vanish());
  screens[from].send({ t: 'start', ...what });
  const { match: id } = await pad.wait('match');
  for (const screen of screens) {
    await screen.wait('watch', ({ match }) => match === id);
    await screen.nextFrame(performance.now());
  }
  const owner = await fleet.ownerOf(id, from);
  return { id, owner, pad };
}

/** @param {number} owner @param {number} [count] @returns {number[]} the other nodes */
export const othersOf = (owner, count = 3) =>
  Array.from({ length: count }, (_none, i) => i).filter((i) => i !== owner);
