/** Draws QR codes. */
import QRCode from 'qrcode';

/**
 * @param {string} text
 * @param {import('qrcode').QRCodeToStringOptions} options
 * @returns {Promise<string>}
 */
export const qrCode = (text, options) => QRCode.toString(text, options);
