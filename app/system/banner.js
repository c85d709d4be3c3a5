/** What `pitv serve` prints when it is up. */
import { ADMIN_TOKEN_FILE } from '../admin/token.js';
import { qrCode } from './qr.js';

/** SGR codes: black on bright white, and back. Scanners want dark on light, whatever the terminal's own colours. */
const PAPER = '\x1b[30;107m';
const PLAIN = '\x1b[0m';
const MARGIN = 2; // modules; the renderer knows even ones only

/**
 * @param {string} text
 * @param {boolean} colours whether the terminal understands SGR codes; else light on dark is
 *   supposed, as on a console
 * @returns {Promise<string>} a QR code of half blocks, one column a module
 */
export async function terminalQr(text, colours) {
  const color = colours ? undefined : { dark: '#ffffff', light: '#000000' };
  const code = await qrCode(text, {
    type: 'utf8',
    errorCorrectionLevel: 'L',
    margin: MARGIN,
    color,
  });
  if (!colours) return code;
  return code
    .split('\n')
    .map((line) => `${PAPER}${line}${PLAIN}`)
    .join('\n');
}

/**
 * @param {import('../tv.js').Tv} tv started
 * @param {{colours: boolean}} terminal
 * @returns {Promise<string>} lines
 */
export async function banner(tv, { colours }) {
  const { urls, joinUrl } = tv.join;
  const { access, settings, storeProblem } = tv.services;
  const lines = [
    '',
    'The TV is on.',
    '',
    'Screen: open one of these in a browser on the television',
    ...urls.map((url) => `  ${url}`),
    'Phones: scan this, or open the same address with /pad and type the code',
    `  ${joinUrl}`,
    `  code ${tv.code}`,
    '',
    await terminalQr(joinUrl, colours),
    '',
    `Admin page: ${urls[0]}/admin`,
    `Admin token ${access.token}`,
    access.kept
      ? `  kept in ${settings.dataDir}/${ADMIN_TOKEN_FILE}`
      : '  for this start only: it could not be kept',
  ];
  if (tv.engine.choice) lines.push(`Engine ${tv.engine.choice}`);
  const { receiver } = tv.udp ?? {};
  if (receiver) {
    lines.push(
      `Native pads: pitv pad --udp ${urls[0].replace(/^http:\/\//, '')} --code ${tv.code}`,
      `  datagrams come to UDP port ${receiver.port}`,
    );
  }
  if (settings.screenAccess === 'open') {
    lines.push(
      'Any browser that reaches the TV may be a screen, and a screen shows the code;',
      'with --screen-access code a screen has to enter the code first.',
    );
  }
  if (storeProblem) lines.push(`Nothing can be kept in ${settings.dataDir}: ${storeProblem}`);
  return `${lines.join('\n')}\n`;
}
