import { h } from './dom.js';

/** Tells whether the page may share a file; browsers allow it with HTTPS only. @param {File} file */
export const sharesFiles = (file) =>
  Boolean(navigator.canShare && navigator.canShare({ files: [file] }));

/** Shares a file, or downloads it where the page may not share it. @param {File} file */
export async function saveFile(file) {
  if (sharesFiles(file)) return navigator.share({ files: [file] }).catch(() => {}); // cancelled by the player
  const url = URL.createObjectURL(file);
  h('a', { href: url, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // some browsers ask the player first
  return undefined;
}
