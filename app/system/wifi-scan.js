/** The Wi-Fi networks in range, from the output of `iw dev NAME scan`. */

const MAX_NETWORKS = 40;
const MAX_NAME_BYTES = 32;

/**
 * @typedef {object} Network
 * @property {string} name
 * @property {boolean} secured whether it needs a password
 * @property {number} signalDbm
 */

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a name as iw prints it: other bytes than printable ASCII are `\xNN`.
 * @param {string} printed
 * @returns {string} empty: hidden, or not UTF-8, and therefore not possible to enter
 */
function decodeName(printed) {
  const escaped = printed.replace(/\\x([0-9a-f]{2})/g, (_all, hex) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  const bytes = Buffer.from(escaped, 'latin1');
  try {
    return bytes.length > MAX_NAME_BYTES ? '' : decoder.decode(bytes).replace(/\p{C}/gu, '');
  } catch {
    return '';
  }
}

/**
 * Lists the networks. Each name is listed once, with its strongest access point.
 * @param {string} text
 * @param {string} own name of the TV's own network, which is left out
 * @returns {Network[]} the strongest first
 */
export function parseScan(text, own) {
  /** @type {Map<string, Network>} */
  const networks = new Map();
  for (const station of text.split(/^BSS /m).slice(1)) {
    const name = decodeName(/^\tSSID: (.*)$/m.exec(station)?.[1] ?? '');
    const signalDbm = Number(/^\tsignal: (-?[\d.]+) dBm$/m.exec(station)?.[1] ?? NaN);
    if (name === '' || name === own || Number.isNaN(signalDbm)) continue;
    if (signalDbm <= (networks.get(name)?.signalDbm ?? -Infinity)) continue;
    const secured = /^\t(RSN|WPA):/m.test(station) || /^\tcapability: .*\bPrivacy\b/m.test(station);
    networks.set(name, { name, secured, signalDbm });
  }
  return [...networks.values()].sort((a, b) => b.signalDbm - a.signalDbm).slice(0, MAX_NETWORKS);
}
