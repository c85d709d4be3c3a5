/** Helpers for 2D canvases. @typedef {CanvasRenderingContext2D} Context */

const TURN = Math.PI * 2;
/** The fonts of base.css. */
export const FONT = '"pitv Hangul", "pitv Emoji", system-ui, "Segoe UI", Roboto, sans-serif';

/** @param {number} width px @param {number} height px */
export const createCanvas = (width, height) =>
  Object.assign(document.createElement('canvas'), { width, height });

/**
 * Returns the context of a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {CanvasRenderingContext2DSettings} [settings] without alpha, the canvas is drawn faster
 * @returns {CanvasRenderingContext2D}
 * @throws {Error} if the browser does not support 2D canvases
 */
export function contextOf(canvas, settings) {
  const context = canvas.getContext('2d', settings);
  if (!context) throw new Error('This browser does not support 2D canvases.');
  return context;
}

/** Begins the path of a circle. @param {Context} context @param {number} r @param {number} [x] @param {number} [y] */
export function circle(context, r, x = 0, y = 0) {
  context.beginPath();
  context.arc(x, y, Math.max(0, r), 0, TURN);
}

/** Begins the path of a polygon. @param {Context} context @param {number[]} points x, y, x, y … */
export function polygon(context, points) {
  context.beginPath();
  for (let i = 0; i < points.length; i += 2) context.lineTo(points[i], points[i + 1]);
  context.closePath();
}

/**
 * Fills the path with a gradient.
 * @param {Context} context @param {CanvasGradient} gradient
 * @param {Record<number, string>} stops colours by place, 0..1
 */
export function fillGradient(context, gradient, stops) {
  for (const [place, color] of Object.entries(stops)) gradient.addColorStop(Number(place), color);
  fillPath(context, gradient);
}

/** Fills the path. @param {Context} context @param {string | CanvasGradient} style */
export function fillPath(context, style) {
  context.fillStyle = style;
  context.fill();
}

/** Strokes the path. @param {Context} context @param {number} width px @param {string} color */
export function stroke(context, width, color) {
  context.lineWidth = width;
  context.strokeStyle = color;
  context.stroke();
}

/**
 * Begins the path of a rounded rectangle, also in browsers of older TVs without roundRect().
 * @param {Context} context @param {number} x @param {number} y
 * @param {number} width @param {number} height @param {number} corner
 */
export function roundedRect(context, x, y, width, height, corner) {
  context.beginPath();
  context.moveTo(x + corner, y);
  context.arcTo(x + width, y, x + width, y + height, corner);
  context.arcTo(x + width, y + height, x, y + height, corner);
  context.arcTo(x, y + height, x, y, corner);
  context.arcTo(x, y, x + width, y, corner);
  context.closePath();
}

/**
 * Shortens a text to a width.
 * @param {{measureText: (text: string) => {width: number}}} context a canvas with the font
 * @param {string} text @param {number} width px
 * @returns {string} the text, or its beginning and an ellipsis
 */
export function fitText(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const letters = [...text];
  while (letters.length > 0 && context.measureText(`${letters.join('')}…`).width > width)
    letters.pop();
  return `${letters.join('')}…`;
}
