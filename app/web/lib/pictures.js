/** Loads the pictures of a game. Until they are there, and where they cannot be loaded, bodies have their looks. */
import { tvUrl } from './tv-url.js';

/** Pictures by the name that a kind has. @typedef {Map<string, HTMLImageElement>} Pictures */

/**
 * Loads the pictures of a game.
 * @param {import('./types.js').Game} game
 * @returns {Promise<Pictures>} without those that cannot be loaded
 */
export async function loadPictures({ id, version, view }) {
  const names = new Set(view.kinds.map(({ picture }) => picture));
  /** @type {Pictures} */
  const pictures = new Map();
  await Promise.all(
    [...names].map(async (name) => {
      if (!name) return;
      const [folder, file] = name.split('/');
      const parts = [folder, id, version, file].map(encodeURIComponent);
      const picture = await loadImage(`/${parts.join('/')}`);
      if (picture) pictures.set(name, picture);
    }),
  );
  return pictures;
}

/** @param {string} url @returns {Promise<HTMLImageElement | null>} */
function loadImage(url) {
  return new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => resolve(null);
    const src = tvUrl(url);
    if (src !== url) image.crossOrigin = 'anonymous'; // it is drawn on a canvas
    image.src = src;
  });
}
