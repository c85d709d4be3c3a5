/** Limits the kernel's receive buffers of accepted connections. */
import { native } from '../native/native.js';

/**
 * Limits the bytes that the kernel buffers for each connection, and thereby the bytes that one read passes to a parser.
 * By default, Node.js reads up to 64 KiB at once; pipelined requests of that size take 20 ms of the main thread. Does
 * nothing without the addon.
 * @param {import('node:net').Server} server a listening server; connections inherit its size
 * @param {number} bytes the kernel doubles this number for its own use
 */
export function boundReceiveBuffer(server, bytes) {
  // Node.js has no public access to the descriptor.
  const { _handle: handle } = /** @type {{_handle?: {fd?: number}}} */ (
    /** @type {unknown} */ (server)
  );
  if (handle?.fd === undefined || handle.fd < 0) return;
  try {
    native().setReceiveBuffer(handle.fd, bytes);
  } catch {
    // There is no addon, or the kernel refused.
  }
}
