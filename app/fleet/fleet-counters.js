/** Counts what a node of a fleet does, for its metrics. */

/** Why a match was taken over. @typedef {'dead' | 'drained'} TakeoverReason */

export class FleetCounters {
  /** Matches that this node has taken over. @type {Record<TakeoverReason, number>} */
  takeovers = { dead: 0, drained: 0 };
  /** Matches of this node that another one has taken over. */
  lost = 0;
  /** How often this node was cut off from most of its fleet. */
  cutOffs = 0;
  /** Frames of matches, sent to and received from other nodes. */
  frames = { sent: 0, received: 0 };
  frameBytes = { sent: 0, received: 0 };
  /** Frames and inputs of a former owner or later than newer ones, and what is no frame of the game. */
  stale = 0;
  /** Checkpoints that were written to the bucket, and that could not be. */
  checkpoints = { written: 0, failed: 0 };
  /** Duration of the last write of a checkpoint, ms. */
  checkpointMs = 0;
}

/**
 * Adds the metrics of a fleet.
 * @param {import('../server/metrics-registry.js').Writer} write @param {object} now
 * @param {FleetCounters} now.counters @param {import('./nodes.js').NodeState[]} now.nodes @param {boolean} now.hasLease
 * @param {{here: number, elsewhere: number}} now.matches
 */
export function addFleetMetrics({ counter, gauge }, { counters, nodes, hasLease, matches }) {
  /** @param {string} label @param {Record<string, number>} values @returns {[Record<string, string>, number][]} */
  const byName = (label, values) =>
    Object.entries(values).map(([name, value]) => [{ [label]: name }, value]);
  const away = nodes.filter(({ alive }) => !alive).length;
  const states = byName('state', { up: nodes.length - away, away });
  gauge('fleet_nodes', 'Nodes of the fleet, with this one', states, ['state']);
  gauge('fleet_quorum', '1 while this node is connected to most of its fleet', [Number(hasLease)]);
  gauge(
    'fleet_lag_seconds',
    'Time of a beat to another node and of its acknowledgement back, without the time that it waited there',
    nodes.flatMap(({ node, lagMs }) => (lagMs === undefined ? [] : [[{ node }, lagMs / 1000]])),
    ['node'],
  );
  const where = byName('where', matches);
  gauge('fleet_matches', 'Matches of the fleet: on this node, and on others', where, ['where']);
  const reasons = byName('reason', counters.takeovers);
  counter('fleet_takeovers_total', 'Matches that this node has taken over', reasons, ['reason']);
  const lost = 'Matches of this node that another one has taken over';
  counter('fleet_matches_lost_total', lost, [counters.lost]);
  const cutOffs = 'How often this node was cut off from most of its fleet';
  counter('fleet_cut_offs_total', cutOffs, [counters.cutOffs]);
  const frames = byName('direction', counters.frames);
  counter('fleet_frames_total', 'Frames between this node and others', frames, ['direction']);
  const bytes = byName('direction', counters.frameBytes);
  counter('fleet_frame_bytes_total', 'Bytes of these frames', bytes, ['direction']);
  const stale =
    'Frames and inputs that were not used, because they came from a former owner or late, or are none of the game';
  counter('fleet_stale_total', stale, [counters.stale]);
  const written = byName('outcome', counters.checkpoints);
  const checkpoints = 'Checkpoints of the matches of this node';
  counter('fleet_checkpoints_total', checkpoints, written, ['outcome']);
  const duration = 'Time until the servers had the last checkpoint';
  gauge('fleet_checkpoint_seconds', duration, [counters.checkpointMs / 1000]);
}
