/** The kernel's receive buffer of the connections that a server accepts. */
import { native } from '../native/native.js';

/**
 * Bounds what the kernel keeps of a client that sends more than the TV reads, and with it the bytes that one read
 * hands to a parser. Node.js reads up to 64 KiB at once: as pipelined requests, these are 20 ms of the main thread.
 * Without the addon, the kernel's own size stays.
 * @param {import('node:net').Server} server that listens; connections that it accepts from now on inherit the size
 * @param {number} bytes the kernel doubles them for its own use
 */
export function boundReceiveBuffer(server, bytes) {
  // Node.js has no other way to the descriptor.
  const { _handle: handle } = /** @type {{_handle?: {fd?: number}}} */ (
    /** @type {unknown} */ (server)
  );
  if (handle?.fd === undefined || handle.fd < 0) return;
  try {
    native().setReceiveBuffer(handle.fd, bytes);
  } catch {
    // The addon is not there, or the kernel refuses.
  }
}
