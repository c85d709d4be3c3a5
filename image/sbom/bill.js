/** Reads the packages of a card's bill of materials (SPDX 2.3, image/sd/materials.js). */
import { readFile } from 'node:fs/promises';
import { usage } from '../program.js';

/**
 * @typedef {object} BillPackage
 * @property {string} name
 * @property {string} version
 * @property {string} source of a Debian package: the package from which it is built; otherwise its own name
 */

/**
 * @typedef {object} Bill
 * @property {string} name of the image
 * @property {string} suite Debian's name of the release
 * @property {BillPackage[]} debian
 * @property {BillPackage[]} npm
 * @property {string[]} others packages of other kinds
 */

const PURL = /^pkg:([a-z]+)\/(?:debian\/)?([^@?]+)@([^?]+)(?:\?(.*))?$/;

/**
 * Reads a bill of materials.
 * @param {string} file
 * @returns {Promise<Bill>}
 * @throws {PitvError} PITV_USAGE if it is not the bill of a card
 */
export async function readBill(file) {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw usage(`${file} cannot be read. Build the card first, or name its .spdx.json.`, cause);
  });
  let bill;
  try {
    bill = JSON.parse(text);
  } catch (cause) {
    throw usage(`${file} is not JSON.`, cause);
  }
  if (!Array.isArray(bill?.packages)) throw usage(`${file} is not an SPDX 2.3 document.`);
  /** @type {Bill} */
  const result = { name: String(bill.name), suite: '', debian: [], npm: [], others: [] };
  for (const each of bill.packages) {
    if (each.primaryPackagePurpose === 'OPERATING-SYSTEM') continue;
    const locator = each.externalRefs?.[0]?.referenceLocator ?? '';
    const [, type, name = '', version = '', qualifiers = ''] = PURL.exec(locator) ?? [];
    const found = { name: decodeURIComponent(name), version: decodeURIComponent(version) };
    if (type === 'npm') result.npm.push({ ...found, source: found.name });
    else if (type === 'deb') {
      result.debian.push({ ...found, source: sourceOf(each.sourceInfo, found.name) });
      result.suite ||= new URLSearchParams(qualifiers).get('distro') ?? '';
    } else result.others.push(String(each.name));
  }
  if (result.debian.length === 0 || result.suite === '')
    throw usage(`${file} names no Debian release. Build the card again.`);
  return result;
}

/**
 * Returns the name by which the security tracker knows the source package.
 * @param {unknown} info text of createBill() @param {string} otherwise
 */
function sourceOf(info, otherwise) {
  const [, source = otherwise] = /^Debian source package (\S+)/.exec(String(info)) ?? [];
  return source.replace(/^linux-signed-\w+$/, 'linux');
}
