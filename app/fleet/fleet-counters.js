/** Counts what a node of a fleet does, for its metrics. */

/** Why a match was taken over. @typedef {'dead' | 'drained'} TakeoverReason */

export class FleetCounters {
  /** Matches that this node has taken over. @type {Record<TakeoverReason, number>} */
  takeovers = { dead: 0, drained: 0 };
  /** Matches of this node that another one has taken over. */
  lost = 0;
  /** How often this node was cut off from most of its fleet. */
  cutOffs = 0;
  /** Frames of matches, and bytes of them, sent to and received from other nodes. */
  framesSent = 0;
  framesReceived = 0;
  frameBytesSent = 0;
  frameBytesReceived = 0;
  /** Frames and inputs of a former owner, or later than newer ones. */
  stale = 0;
  /** Checkpoints that were written to the bucket, and that could not be. */
  checkpoints = { written: 0, failed: 0 };
  /** Duration of the last write of a checkpoint, ms. */
  checkpointMs = 0;
}
