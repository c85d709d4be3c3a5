/** QR codes. The package's public entry point would also load its PNG encoder. */
import { require } from '../require.js';

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
 * @returns {string}
 */
export const qrCode = (text, options) =>
  RENDERERS[options.type].render(create(text, options), options);
