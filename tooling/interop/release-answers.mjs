/**
 * Reasons why a route is not served here, by the beginning of its path. The first that fits holds.
 *
 * @type {[string, string][]}
 */
const LEFT_OUT = [
  ['/api/canvas-extensions', 'Extensions of Agent Canvas run code of a browser; none is installed here.'],
  ['/api/app-backends', 'Backends of apps are programs of OpenHands.'],
  ['/api/acp', 'Agents of other programs (ACP) are not run here.'],
  ['/api/llm/subscription', 'Subscription logins belong to one vendor.'],
  ['/api/desktop', 'This server has no desktop.'],
  ['/api/vscode', 'This server has no editor.'],
  ['/v1/', 'Models are asked directly, not through this server.'],
];

/**
 * Returns what is done here with something that a release added, as a sentence. Empty for an object, since its route says it.
 *
 * @param {string} part
 * @param {string} name
 * @param {ReadonlySet<string>} served
 * @param {ReadonlySet<string>} typed
 */
export function answerTo(part, name, served, typed) {
  if (part === 'routes') {
    if (served.has(name)) return 'Served.';
    const path = name.split(' ')[1] ?? '';
    const reason = LEFT_OUT.find(([beginning]) => path.startsWith(beginning))?.[1];
    return reason === undefined ? 'Answers 404, as a server of an earlier release.' : `Answers 404. ${reason}`;
  }
  if (part === 'sockets') return served.has(name.split('?')[0] ?? '') ? 'Served, and used by the client.' : 'Refused.';
  if (part === 'events') return typed.has(name) ? 'Typed.' : 'Kept, passed on and shown with its name.';
  if (part === 'actions' || part === 'observations') return 'Kept, passed on and shown with its members.';
  if (part === 'folder') return 'Left in place.';
  return '';
}
