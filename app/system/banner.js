/** QR codes, and the text that `pitv serve` prints when it has started. */
import { ADMIN_TOKEN_FILE } from '../admin/token.js';
import { sentenceText, tvLanguage } from '../language/index.js';
import { require } from '../require.js';

/** QR codes. The package's public entry point would also load its PNG encoder. */
const { create } = /** @type {typeof import('qrcode')} */ (require('qrcode/lib/core/qrcode'));
/** @typedef {{render: (code: import('qrcode').QRCode, options: object) => string}} Renderer */
const RENDERERS = Object.freeze({
  svg: /** @type {Renderer} */ (require('qrcode/lib/renderer/svg-tag')),
  utf8: /** @type {Renderer} */ (require('qrcode/lib/renderer/utf8')),
});

/**
 * Draws a QR code.
 * @param {string} text
 * @param {import('qrcode').QRCodeToStringOptions & {type: keyof typeof RENDERERS}} options
 */
export const qrCode = (text, options) =>
  RENDERERS[options.type].render(create(text, options), options);

/** SGR codes: black on bright white, and reset. Scanners need dark on light in terminals of any colour. */
const PAPER = '\x1b[30;107m';
const PLAIN = '\x1b[0m';
const MARGIN = 2; // modules; the renderer accepts only even numbers

/**
 * Draws a QR code of half blocks, one column for a module.
 * @param {string} text
 * @param {boolean} colours whether the terminal understands SGR codes; otherwise it is assumed to be light on dark,
 *   like a console
 */
export function terminalQr(text, colours) {
  const color = colours ? undefined : { dark: '#ffffff', light: '#000000' };
  const code = qrCode(text, { type: 'utf8', errorCorrectionLevel: 'L', margin: MARGIN, color });
  return colours ? code.replace(/^.*$/gm, `${PAPER}$&${PLAIN}`) : code;
}

/** Formats the banner. @param {import('../tv.js').Tv} tv started @param {{colours: boolean}} terminal */
export function banner(tv, { colours }) {
  const { urls, joinUrl } = tv.join;
  const { access, settings, storeProblem } = tv.services;
  const lines = [
    '',
    'The TV is running.',
    '',
    'Screen: open one of these in a browser on the television',
    ...urls.map((url) => `  ${url}`),
    'Phones: scan this, or open the same address with /pad and type the code',
    `  ${joinUrl}`,
    `  code ${tv.code}`,
    '',
    terminalQr(joinUrl, colours),
    '',
    `Admin page: ${urls[0]}/admin`,
    `Admin token ${access.token}`,
    access.isTokenSaved
      ? `  saved in ${settings.dataDir}/${ADMIN_TOKEN_FILE}`
      : '  for this start only: it could not be saved',
  ];
  if (tv.engine.choice) lines.push(`Engine ${tv.engine.choice}`);
  const { receiver } = tv.udp ?? {};
  if (receiver) {
    lines.push(
      `Native pads: ${urls[0].replace(/^http:\/\//, '')}, code ${tv.code}`,
      `  datagrams come to UDP port ${receiver.port}`,
    );
  }
  if (settings.screenAccess === 'open') {
    lines.push(
      'Any browser that reaches the TV may be a screen, and a screen shows the code;',
      'with --screen-access code a screen has to enter the code first.',
    );
  }
  if (storeProblem) lines.push(`Nothing can be saved in ${settings.dataDir}: ${storeProblem}`);
  const language = tvLanguage(settings.language);
  return `${lines.map((line) => sentenceText(line, language)).join('\n')}\n`;
}
