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
