/** Connects the workers of matches with those on other nodes. */

/**
 * Makes the link of a match.
 * @param {object} parts
 * @param {number} parts.id of the match
 * @param {string} parts.node name of this node
 * @param {import('./connection.js').FleetConnection} parts.connection
 * @param {import('./fleet-counters.js').FleetCounters} parts.counters
 * @param {(slot: number) => import('../match/player.js').Player | undefined} parts.playerAt
 * @param {() => boolean} parts.mayShow see Link
 * @param {() => boolean} parts.isWanted see Link
 * @param {(reason: string) => Promise<unknown>} parts.requestStop see Link
 * @returns {import('./fleet-worker.js').Link}
 */
export function createLink({ id, node, connection, counters, playerAt, ...questions }) {
  const frames = `pitv.frame.${id}`;
  const inputs = `pitv.input.${id}.`;
  return {
    ...questions,
    counters,
    isHere(slot) {
      const player = playerAt(slot);
      return player?.connected === true && player.home === undefined;
    },
    isAt: (slot, home) => playerAt(slot)?.home === home,
    sendFrame(message) {
      connection.publish(frames, message);
      counters.framesSent++;
      counters.frameBytesSent += message.length;
    },
    sendInputs: (message) => connection.publish(`${inputs}${node}`, message),
    onFrames: (onMessage) => connection.subscribe(frames, ({ data }) => onMessage(data)),
    onInputs: (onMessage) =>
      connection.subscribe(`${inputs}*`, ({ data, subject }) => {
        onMessage(data, subject.slice(inputs.length));
      }),
  };
}
