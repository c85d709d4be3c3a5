/** Finds the addresses under which phones reach this machine. */
import { networkInterfaces, hostname } from 'node:os';
import { access } from 'node:fs/promises';

/** Interfaces that other machines rarely reach: containers, bridges, tunnels. Listed last. */
const UNLIKELY = /^(docker|br-|veth|virbr|cni|flannel|podman|tun|tap|wg|tailscale|zt|lxc)/;

/** Link-local addresses, which a machine uses without DHCP (RFC 3927). */
const SELF_ASSIGNED = /^169\.254\./;

/** Ranks an address; lower is likelier to be reached. @param {{name: string, address: string}} info */
const rank = ({ name, address }) =>
  2 * Number(UNLIKELY.test(name)) + Number(SELF_ASSIGNED.test(address));

/** The newest that the system has told. @type {ReturnType<typeof networkInterfaces>} */
let known = {};

/** Asks the system, which does not tell while no descriptor is free: then the last answer counts. */
function knownInterfaces() {
  try {
    known = networkInterfaces();
  } catch {
    // The next call asks again.
  }
  return known;
}

/**
 * Lists the IPv4 addresses of this machine, without loopback.
 * @param {NodeJS.Dict<import('node:os').NetworkInterfaceInfo[]>} [interfaces]
 * @returns {string[]} the likeliest to be reached first
 */
export function lanAddresses(interfaces = knownInterfaces()) {
  return Object.entries(interfaces)
    .flatMap(([name, infos]) => (infos ?? []).map((info) => ({ ...info, name })))
    .filter((info) => info.family === 'IPv4' && !info.internal)
    .sort((a, b) => rank(a) - rank(b))
    .map((info) => info.address);
}

/**
 * Tells whether this machine has an address that is not its own alone. Every interface that is up has one that begins
 * with fe80, with or without a network.
 * @param {NodeJS.Dict<import('node:os').NetworkInterfaceInfo[]>} [interfaces]
 */
export const hasNetwork = (interfaces = knownInterfaces()) =>
  Object.values(interfaces).some((infos) =>
    infos?.some(({ internal, address }) => !internal && !address.startsWith('fe80:')),
  );

/** Returns `name.local` if an mDNS responder runs. @returns {Promise<string | undefined>} */
export async function mdnsName() {
  try {
    await access('/run/avahi-daemon/socket');
  } catch {
    return undefined;
  }
  const [name] = hostname().split('.');
  return name ? `${name}.local` : undefined;
}

/** Tells whether a server listens on all addresses. @param {string} host */
export const isEverywhere = (host) => host === '0.0.0.0' || host === '::';

/**
 * Lists the origins under which the TV can be reached.
 * @param {{scheme: 'http' | 'https', host: string, port: number, publicUrl: string, mdns?: string, addresses?:
 *   string[]}} where host: the address that the server listens on
 * @returns {string[]} the best one for a phone first
 */
export function reachableUrls({ scheme, host, port, publicUrl, mdns, addresses = lanAddresses() }) {
  const names = isEverywhere(host) ? [...addresses, ...(mdns ? [mdns] : [])] : [host];
  if (names.length === 0) names.push('localhost');
  const suffix = port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`;
  const urls = names.map(
    (name) => `${scheme}://${name.includes(':') ? `[${name}]` : name}${suffix}`,
  );
  return publicUrl ? [publicUrl, ...urls.filter((url) => url !== publicUrl)] : urls;
}
