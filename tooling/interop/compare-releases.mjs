/**
 * Compares what two releases of OpenHands offer, as `describe_release.py` describes it. A change is `{ part, name, change, members? }`:
 * `added` and `removed` concern a whole name, such as a route or a kind of event, and `members` a name that both releases have.
 *
 * @typedef {{ part: string, name: string, change: 'added' | 'removed' | 'members', added?: string[], removed?: string[] }} Change
 */

/** @typedef {string[] | Record<string, string[]>} Members */
/** @typedef {string[] | Record<string, Members>} Part */

/** The parts of a description, in the order of the page. */
export const PARTS = ['routes', 'sockets', 'events', 'actions', 'observations', 'schemas', 'folder', 'settings'];

/**
 * @param {Record<string, any>} before
 * @param {Record<string, any>} after
 * @returns {Change[]}
 */
export function compareReleases(before, after) {
  return PARTS.flatMap((part) => compareNames(part, namesOf(before[part]), namesOf(after[part])));
}

/**
 * Returns the members by name; a part that is a list has names alone, and a route has the members of its requests and answers.
 *
 * @param {Part} [part]
 * @returns {Record<string, string[]>}
 */
function namesOf(part = {}) {
  if (Array.isArray(part)) return Object.fromEntries(part.map((name) => [name, []]));
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, membersOf(value)]));
}

/**
 * @param {Members} value
 * @returns {string[]}
 */
function membersOf(value) {
  if (Array.isArray(value)) return value;
  return Object.entries(value).flatMap(([place, members]) => members.map((member) => `${place} ${member}`));
}

/**
 * @param {string} part
 * @param {Record<string, string[]>} before
 * @param {Record<string, string[]>} after
 * @returns {Change[]}
 */
function compareNames(part, before, after) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.flatMap((name) => changeOf({ part, name }, before[name], after[name]) ?? []);
}

/**
 * @param {{ part: string, name: string }} place
 * @param {string[]} [before]
 * @param {string[]} [after]
 * @returns {Change | undefined}
 */
function changeOf(place, before, after) {
  if (before === undefined || after === undefined)
    return { ...place, change: before === undefined ? 'added' : 'removed' };
  const added = after.filter((member) => !before.includes(member));
  const removed = before.filter((member) => !after.includes(member));
  return added.length + removed.length === 0 ? undefined : { ...place, change: 'members', added, removed };
}
