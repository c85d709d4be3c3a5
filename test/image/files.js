/** Files, and places in images of cards. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const MIB = 1024 * 1024;

/** Reads a part of a file. @param {string} path @param {number} offset @param {number} bytes @returns {Buffer} */
export function readAt(path, offset, bytes) {
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(bytes);
  readSync(file, buffer, 0, bytes, offset);
  closeSync(file);
  return buffer;
}

/** Overwrites a part of a file. @param {string} path @param {number} offset @param {Uint8Array} bytes */
export function writeAt(path, offset, bytes) {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}

/**
 * Reads the partition table of a card with sfdisk.
 * @param {string} card
 * @returns {{id: string, partitions: {number: number, startMib: number, sizeMib: number}[]}}
 */
export function readTable(card) {
  const text = execFileSync('/usr/sbin/sfdisk', ['--json', card], { encoding: 'utf8' });
  const { id, partitions } = JSON.parse(text).partitiontable;
  return {
    id,
    partitions: partitions.map(
      (/** @type {{node: string, start: number, size: number}} */ { node, start, size }) => ({
        number: Number(node.slice(card.length)),
        startMib: (start * 512) / MIB,
        sizeMib: (size * 512) / MIB,
      }),
    ),
  };
}
