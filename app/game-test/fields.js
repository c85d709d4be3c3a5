/** Names the parts of a game's state, to tell where two states differ. */

/** @typedef {import('./result.js').Field} Field */

const HEADER = "the world's random numbers, tick or number of bodies";
const OTHER = 'the events or the phase of the match';

/**
 * Lists the arrays of a match's state: those of the game first, then those of the flow and of the world.
 * @param {import('../game/define.js').Job} job
 * @returns {Field[]} offset: from the start of a checkpoint
 */
export function stateFields({ flow }) {
  const { world } = flow;
  const { buffer, byteOffset, byteLength } = world.bytes;
  /** @param {string} prefix @param {object} owner */
  const fieldsOf = (prefix, owner) =>
    Object.entries(owner).flatMap(([name, value]) => {
      const inside =
        ArrayBuffer.isView(value) &&
        value.buffer === buffer &&
        value.byteOffset >= byteOffset &&
        value.byteOffset + value.byteLength <= byteOffset + byteLength;
      if (!inside || value === world.bytes || value === world.gameState) return [];
      const { BYTES_PER_ELEMENT: elementBytes, length } = /** @type {Uint8Array} */ (value);
      return [{ name: prefix + name, offset: value.byteOffset - byteOffset, elementBytes, length }];
    });
  const bodies = fieldsOf('world.', world);
  const start = Math.min(byteLength, ...bodies.map(({ offset }) => offset));
  return [
    ...fieldsOf('flow.own.', flow.own),
    ...fieldsOf('flow.', flow).filter(({ name }) => name !== 'flow.head'),
    ...bodies,
    { name: HEADER, offset: 0, elementBytes: start, length: 1 },
  ];
}

/** Fields that a sentence names. */
const MAX_NAMED = 3;

/**
 * Names what differs between two states.
 * @param {Field[]} fields of both
 * @param {Uint8Array} expected @param {Uint8Array} found
 * @returns {string} such as 'flow.own.timer[0] and world.x[3]'
 */
export function nameDifferences(fields, expected, found) {
  const differs = (/** @type {number} */ at) => expected[at] !== found[at];
  const names = fields.flatMap(({ name, offset, elementBytes, length }) => {
    for (let at = offset; at < offset + elementBytes * length; at++) {
      if (!differs(at)) continue;
      return length === 1 && elementBytes > 8
        ? [name]
        : [`${name}[${Math.floor((at - offset) / elementBytes)}]`];
    }
    return [];
  });
  if (names.length === 0) return OTHER;
  const named = names.slice(0, MAX_NAMED);
  return [named.slice(0, -1).join(', '), named.at(-1)].filter(Boolean).join(' and ');
}
