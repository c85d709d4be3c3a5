/** Reads how many datagrams the kernel dropped because a receive buffer was full: column `drops` of /proc/net/udp. */
import { readFileSync } from 'node:fs';

/**
 * Returns the drops of each socket on a port.
 * @param {number} port
 * @returns {number[]} of this network namespace; empty without /proc
 */
export function overflowsOf(port) {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return ['/proc/net/udp', '/proc/net/udp6'].flatMap((file) => {
    try {
      return readFileSync(file, 'latin1')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter((columns) => columns[1]?.endsWith(`:${wanted}`))
        .map((columns) => Number(columns.at(-1)));
    } catch {
      return [];
    }
  });
}
