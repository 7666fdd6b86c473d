import { PINNED } from './releases.mjs';

/** The parts of a section whose new rows a client may ask a server for. */
const ASKED = new Set(['Routes', 'Sockets']);

/**
 * Returns the newest release whose new routes and sockets, and those of every release before it, are all served, by the page of releases.
 * Routes that are left out count: they answer as OpenHands' server does while it is not used, so that clients see the release.
 *
 * @param {string} page
 */
export function servedRelease(page) {
  let served = PINNED;
  const sections = page.split(/^## (?=\d)/m).slice(1);
  if (sections.length === 0) throw new Error('expected sections of releases in the page, found none');
  for (const section of sections.reverse()) {
    if (unservedRows(section).length > 0) break;
    served = section.split('\n')[0] ?? served;
  }
  return served;
}

/**
 * Returns the new routes and sockets of a section that are neither served nor left out.
 *
 * @param {string} section
 */
function unservedRows(section) {
  return section.split(/^### /m).flatMap((part) => {
    if (!ASKED.has(part.split('\n')[0] ?? '')) return [];
    return [...part.matchAll(/^- new: `(.+)`\. (?!Served|Left out: )/gm)].map(([, name = '']) => name);
  });
}
