/** Maps the address of a client to the key under which its limits are counted. */

const IPV4_TAIL = /(?<!\d)(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
const LINK_LOCAL = { prefix: 0xfe80, mask: 0xffc0 }; // fe80::/10, RFC 4291, section 2.5.6
const UNIQUE_LOCAL = { prefix: 0xfc00, mask: 0xfe00 }; // fc00::/7, RFC 4193, section 3.1

/** @param {number[]} groups @param {{prefix: number, mask: number}} range */
const isIn = (groups, { prefix, mask }) => (groups[0] & mask) === prefix;
/** @param {number[]} groups */
const join = (groups) => groups.map((group) => group.toString(16)).join(':');

/** @param {string} text IPv6, without a zone @returns {number[]} its eight groups of 16 bits */
function groupsOf(text) {
  const hex = text.replace(IPV4_TAIL, (_, ...bytes) => {
    const [a, b, c, d] = bytes.map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head, tail = ''] = hex
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
    .map((groups) => groups.map((group) => parseInt(group, 16)));
  const zeros = Math.max(0, 8 - head.length - tail.length);
  return [...head, ...new Array(zeros).fill(0), ...tail].slice(0, 8);
}

/** @param {string} address @returns {{groups: number[], zone: string} | undefined} undefined: not IPv6 */
function parse(address) {
  const [text, zone = ''] = address.split('%', 2);
  return text.includes(':') ? { groups: groupsOf(text), zone } : undefined;
}

/** @param {number[]} groups @returns {string | undefined} the IPv4 address in ::ffff:0:0/96 */
function mappedIpv4(groups) {
  const [high, low] = groups.slice(6);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return mapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : undefined;
}

/**
 * Returns the key of the client's network: the /64 of an IPv6 address, or an IPv4 address as it is.
 * @param {string} address
 */
export function networkKey(address) {
  const parsed = parse(address);
  if (!parsed) return address;
  const { groups, zone } = parsed;
  const link = isIn(groups, LINK_LOCAL) && zone ? `%${zone}` : '';
  return mappedIpv4(groups) ?? `${join(groups.slice(0, 4))}::/64${link}`;
}

/**
 * Returns the key of a client. A subscriber has a whole /64 of global IPv6 addresses, so that counts as
 * one client. Neighbours share the /64 of link-local and unique local addresses, so there each address
 * is a client. An IPv4 address is the same client when it comes mapped into IPv6.
 * @param {string} address as node:net gives it, with the zone of a link-local address
 */
export function clientKey(address) {
  const parsed = parse(address);
  if (!parsed) return address;
  const { groups, zone } = parsed;
  if (isIn(groups, LINK_LOCAL)) return zone ? `${join(groups)}%${zone}` : join(groups);
  const whole = join(groups);
  return isIn(groups, UNIQUE_LOCAL) || THIS_MACHINE.has(whole) ? whole : networkKey(address);
}

/** Keys of 127.0.0.1 and ::1. No other host can send from them (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3). */
const THIS_MACHINE = new Set(['127.0.0.1', '0:0:0:0:0:0:0:1']);

/**
 * Tells whether a client is a program on this machine, such as the browser on the television.
 * @param {string} client its key
 */
export const isThisMachine = (client) => THIS_MACHINE.has(client);
