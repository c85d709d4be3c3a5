/** A module without a default export. @param {number} n */
export const add = (n) => n + 1;
