/** Module hooks that change nothing. */
/** @param {string} specifier @param {any} context @param {any} next */
export const resolve = (specifier, context, next) => next(specifier, context);
