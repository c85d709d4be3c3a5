/** Under which addresses phones reach this machine. */
import { networkInterfaces, hostname } from 'node:os';
import { access } from 'node:fs/promises';

/** Interfaces that other machines rarely reach: containers, bridges, tunnels. Listed last. */
const UNLIKELY = /^(docker|br-|veth|virbr|cni|flannel|podman|tun|tap|wg|tailscale|zt|lxc)/;

/** What a machine gives itself where nobody gives it one (RFC 3927). */
const SELF_ASSIGNED = /^169\.254\./;

/** @param {{name: string, address: string}} info */
const rank = ({ name, address }) =>
  2 * Number(UNLIKELY.test(name)) + Number(SELF_ASSIGNED.test(address));

/**
 * @param {NodeJS.Dict<import('node:os').NetworkInterfaceInfo[]>} [interfaces]
 * @returns {string[]} the IPv4 addresses that are not this machine's own talk, likeliest first
 */
export function lanAddresses(interfaces = networkInterfaces()) {
  return Object.entries(interfaces)
    .flatMap(([name, infos]) => (infos ?? []).map((info) => ({ ...info, name })))
    .filter((info) => info.family === 'IPv4' && !info.internal)
    .sort((a, b) => rank(a) - rank(b))
    .map((info) => info.address);
}

/** @returns {Promise<string | undefined>} `name.local` when an mDNS responder answers for it */
export async function mdnsName() {
  try {
    await access('/run/avahi-daemon/socket');
  } catch {
    return undefined;
  }
  const [name] = hostname().split('.');
  return name ? `${name}.local` : undefined;
}

/**
 * @param {{scheme: 'http' | 'https', host: string, port: number, publicUrl: string, mdns?: string, addresses?: string[]}} where
 *   host: the address listened on
 * @returns {string[]} origins, the best one for a phone first
 */
export function reachableUrls({ scheme, host, port, publicUrl, mdns, addresses = lanAddresses() }) {
  const everywhere = host === '0.0.0.0' || host === '::';
  const names = everywhere ? [...addresses, ...(mdns ? [mdns] : [])] : [host];
  if (names.length === 0) names.push('localhost');
  const suffix = port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`;
  const urls = names.map(
    (name) => `${scheme}://${name.includes(':') ? `[${name}]` : name}${suffix}`,
  );
  return publicUrl ? [publicUrl, ...urls.filter((url) => url !== publicUrl)] : urls;
}
