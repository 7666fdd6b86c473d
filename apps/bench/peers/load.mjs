/**
 * Loads a package of this folder. Adapters use it from outside, where the package cannot be found.
 *
 * @param {string} name
 * @returns {Promise<unknown>}
 */
export const load = (name) => import(name);
