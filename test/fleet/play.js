/** A fleet with screens and a match, for tests and `make fleet-failures`. */
import { FleetConnection } from '../../app/fleet/connection.js';
import { silentLog } from '../../app/log.js';
import { Client } from '../../bench/harness/client.js';
import { LocalFleet } from '../../bench/harness/local-fleet.js';
import { FleetNetwork } from '../../bench/network/fleet-network.js';
import { installedGames } from '../support/serve.js';
import { until } from '../support/tv.js';

/** With the zygote, the start of each TV takes seconds of CPU time. fleet.long.test.js tries it. */
const ENGINE = ['--engine', 'process'];

/** @typedef {{after: (action: () => unknown) => void}} Context of a test, which ends what was started */

/** Longer than a node needs to be missed and a match to move. */
export const GIVE_UP_MS = 40_000;

/**
 * Connects to the servers of a fleet.
 * @param {LocalFleet} fleet @param {Partial<Parameters<typeof FleetConnection.open>[0]>} [other] options
 */
export const connectTo = (fleet, other) =>
  FleetConnection.open({
    servers: fleet.urls,
    credentialsFile: fleet.credentials,
    caFile: '',
    node: 'test',
    log: silentLog,
    ...other,
  });

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
  const isWhole = async () => {
    const states = await Promise.all(fleet.nodes.map((_node, i) => fleet.state(i)));
    return states.every(({ nodes }) => nodes.every((/** @type {any} */ node) => node.leased));
  };
  await until(isWhole, 'all nodes hear each other');
}

/**
 * Starts a match with a player, from a node.
 * @param {Context} t @param {Awaited<ReturnType<typeof startFleet>>} parts @param {number} from index of the node
 */
export async function startMatch(t, { fleet, screens, code }, from) {
  const pad = await Client.pad(fleet.nodes[from], { code, name: 'Ann' });
  t.after(() => pad.vanish());
  screens[from].send({ t: 'start', game: 'bumper' });
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
