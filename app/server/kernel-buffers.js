/** Limits the kernel's buffers of accepted connections. */
import { native } from '../native/native.js';

/**
 * Limits the bytes that the kernel buffers for each connection. Does nothing without the addon.
 * @param {import('node:net').Server} server a listening server; connections inherit its limits
 * @param {object} limits
 * @param {number} limits.receiveBytes of received bytes, and thereby of what one read passes to a parser; the kernel
 *   doubles it for its own use. By default, Node.js reads up to 64 KiB at once; pipelined requests of that size take 20
 *   ms of the main thread
 * @param {number} limits.unsentBytes of bytes that the network does not carry yet. By default, megabytes of frames wait
 *   there if the network is slow, and each screen shows the past
 */
export function limitKernelBuffers(server, { receiveBytes, unsentBytes }) {
  // Node.js has no public access to the descriptor.
  const { _handle: handle } = /** @type {{_handle?: {fd?: number}}} */ (
    /** @type {unknown} */ (server)
  );
  const fd = handle?.fd ?? -1;
  if (fd < 0) return;
  try {
    native().setReceiveBuffer(fd, receiveBytes);
    native().limitUnsent(fd, unsentBytes);
  } catch {
    // There is no addon, or the kernel refused.
  }
}
