/** Puts the parts together that exist while a node takes part in its fleet. */
import { Beats } from './beats.js';
import { FleetMatches } from './fleet-matches.js';
import { FleetPassword } from './fleet-password.js';
import { FleetPlayers } from './fleet-players.js';
import { LeaseGuard } from './lease-guard.js';
import { Nodes } from './nodes.js';
import { repeatAll } from './shared-map.js';
import { Takeover } from './takeover.js';

/**
 * @typedef {object} Parts
 * @property {Nodes} nodes @property {FleetMatches} matches @property {Takeover} takeover
 * @property {LeaseGuard} guard @property {Beats} beats @property {FleetPassword} password
 */

/**
 * @param {object} from
 * @param {() => string[]} from.urls addresses for phones
 * @param {(match: import('../match/match.js').Match) => boolean} from.isWatched
 * @param {import('../admin/password-file.js').PasswordFile} from.password
 * @param {import('./fleet-lobby.js').FleetLobby} from.lobby
 * @param {import('./fleet-party.js').FleetParty} [from.party]
 * @param {import('./connection.js').FleetConnection} from.connection
 * @param {import('./membership.js').Membership} from.membership
 * @param {import('@nats-io/kv').KV} from.members
 * @param {import('./join.js').Joined['tables']} from.tables
 * @param {import('./checkpoints.js').Checkpoints} from.checkpoints
 * @param {import('./fleet-counters.js').FleetCounters} from.counters
 * @param {import('./fleet-games.js').FleetGames} from.games
 * @param {import('pino').Logger} from.log
 * @param {import('./fleet.js').FleetOptions} from.options
 * @returns {Parts}
 */
export function openParts(from) {
  const { lobby, party, connection, membership, tables, games, counters, log } = from;
  const { partition, version } = from.options;
  const { node } = membership;
  const nodes = new Nodes({
    membership,
    lobby,
    urls: from.urls,
    isWatched: from.isWatched,
    version,
    log,
    games,
  });
  const players = new FleetPlayers({ node, players: lobby.players, shared: tables.players });
  const matches = new FleetMatches({
    node,
    membership,
    lobby,
    shared: tables.matches,
    checkpoints: from.checkpoints,
    log,
    counters,
    games,
  });
  const takeover = new Takeover({
    membership,
    matches,
    log,
    counters,
    ranking: (game) => nodes.ranking(game).map(({ node: name }) => name),
  });
  const guard = new LeaseGuard({
    membership,
    matches,
    takeover,
    log,
    partition,
    counters,
    /** Reads all tables again, and publishes what changed here while this node was cut off. */
    async reconnect() {
      const read = async (/** @type {import('./shared-map.js').SharedMap} */ table) => {
        await table.read().catch(() => {});
        table.repeat();
      };
      await Promise.all(Object.values(tables).map(read));
      party?.caughtUp();
    },
    changed: () => lobby.emit('change'),
  });
  const beats = new Beats({
    connection,
    membership,
    nodes,
    members: from.members,
    log,
    guard,
    afterSend() {
      if (membership.hasLease && nodes.isFirst) {
        players.adoptFrom((name) => membership.isGone(name));
      }
      party?.check();
      games.check();
      tellAddresses();
    },
    onStart: () => repeatAll(tables), // it has missed changes that were sent and not written when it read
  });
  tables.players.on('change', (_id, _player, isOwn) => {
    if (!isOwn) matches.refresh();
  });
  games.on('change', () => matches.refresh());
  const tellAddresses = () => {
    const urls = from.urls();
    if (JSON.stringify(tables.addresses.get(node)) === JSON.stringify(urls)) return;
    tables.addresses.set(node, urls);
  };
  lobby.on('change', () => {
    beats.wantedChanged();
    games.tell();
  });
  games.tell();
  const password = new FleetPassword({ file: from.password, shared: tables.settings, log });
  void password.open();
  return { nodes, matches, takeover, guard, beats, password };
}
