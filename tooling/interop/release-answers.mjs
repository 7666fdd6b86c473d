/**
 * Reasons why a route is not served here, by the beginning of its path. The first that fits holds.
 *
 * @type {[string, string][]}
 */
const LEFT_OUT = [
  ['/api/canvas-extensions', 'Extensions of Agent Canvas run code of a browser; none is installed here.'],
  ['/app-backends', 'Backends of extensions are programs; no extension is installed here.'],
  ['/api/acp', 'Agents of other programs (ACP) are not run here.'],
  ['/api/llm/subscription', 'Subscription logins belong to one vendor.'],
  ['/api/desktop', 'This server has no desktop.'],
  ['/api/vscode', 'This server has no editor.'],
  ['/api/conversations/{runtime_conversation_id}/desktop', 'This server has no desktop.'],
  ['/api/git/repositories', 'Providers of repositories are not asked.'],
  ['/api/meta-profiles', 'Models are switched by their names, not by a classification.'],
];

/**
 * Tools whose calls and results have these kinds.
 *
 * @type {Readonly<Record<string, string>>}
 */
const MADE_BY = {
  StartChildConversationAction: 'start_child_conversation',
  StartChildConversationObservation: 'start_child_conversation',
};

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
    if (/^\w+ \/v1\//.test(name)) return 'Served by `conv-server`, with `@conv/openai`.';
    return `Answers 404${reasonOf(name.split(' ')[1] ?? '') ?? ', as a server of an earlier release.'}`;
  }
  if (part === 'sockets') {
    if (served.has(name.split('?')[0] ?? '')) return 'Served, and used by the client.';
    return `Refused${reasonOf(name) ?? '.'}`;
  }
  if (part === 'events') return typed.has(name) ? 'Typed.' : 'Kept, passed on and shown with its name.';
  const tool = part === 'actions' || part === 'observations' ? MADE_BY[name] : undefined;
  if (tool !== undefined) return `Made by the tool \`${tool}\`.`;
  if (part === 'actions' || part === 'observations') return 'Kept, passed on and shown with its members.';
  if (part === 'folder') return 'Left in place.';
  return '';
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
function reasonOf(path) {
  const reason = LEFT_OUT.find(([beginning]) => path.startsWith(beginning))?.[1];
  return reason === undefined ? undefined : `. ${reason}`;
}
