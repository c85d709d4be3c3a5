/** QR codes, of the parts of `qrcode` that draw text: all of it loads a PNG encoder as well, 23 files. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * @callback Render
 * @param {import('qrcode').QRCode} code
 * @param {import('qrcode').QRCodeToStringOptions} options
 * @returns {string}
 */
const { create } = /** @type {typeof import('qrcode')} */ (require('qrcode/lib/core/qrcode'));
/** @type {Readonly<Record<'svg' | 'utf8', {render: Render}>>} */
const RENDERERS = Object.freeze({
  svg: require('qrcode/lib/renderer/svg-tag'),
  utf8: require('qrcode/lib/renderer/utf8'),
});

/**
 * @param {string} text
 * @param {import('qrcode').QRCodeToStringOptions & {type: keyof typeof RENDERERS}} options
 * @returns {string}
 */
export const qrCode = (text, options) =>
  RENDERERS[options.type].render(create(text, options), options);
