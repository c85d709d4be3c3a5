/** What the kernel threw away because nobody read a socket in time: the column `drops` of /proc/net/udp. */
import { readFileSync } from 'node:fs';

/**
 * @param {number} port
 * @returns {number[]} for each socket on the port, of this network namespace; none where there is no /proc
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
