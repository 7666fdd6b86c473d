/**
 * Features that are left out, by the beginning of the path: how their routes answer, and why. The first that fits holds.
 *
 * @type {[string, string, string][]}
 */
const LEFT_OUT = [
  [
    '/api/canvas-extensions',
    'as where no extension is installed',
    'Extensions of Agent Canvas are code that runs in browsers.',
  ],
  ['/app-backends', 'as where programs have no address', 'Programs of extensions are not run here.'],
  ['/api/acp', 'as where the program cannot be started', 'Agents of other programs (ACP) are not run here.'],
  [
    '/api/conversations/{runtime_conversation_id}/desktop',
    'as where none is enabled',
    'This server has no desktop, and later releases have none.',
  ],
  ['/api/llm/subscription', 'as where nobody is logged in', 'Subscription logins belong to one vendor.'],
];

/**
 * Reasons why a route is not there, by the beginning of its path. The first that fits holds.
 *
 * @type {[string, string][]}
 */
const NOT_HERE = [];

/**
 * Tools whose calls and results have these kinds.
 *
 * @type {Readonly<Record<string, string>>}
 */
const MADE_BY = {
  StartChildConversationAction: 'start_child_conversation',
  StartChildConversationObservation: 'start_child_conversation',
  ClassifyAndSwitchLLMAction: 'route_task_to_model',
  ClassifyAndSwitchLLMObservation: 'route_task_to_model',
  AskOracleAction: 'ask_oracle',
  AskOracleObservation: 'ask_oracle',
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
    const path = name.split(' ')[1] ?? '';
    if (served.has(name)) return leftOut(path, 'answers') ?? 'Served.';
    if (path.startsWith('/v1/')) return 'Served by `conv-server`, with `@conv/openai`.';
    return `Answers 404${reasonOf(path) ?? ', as a server of an earlier release.'}`;
  }
  if (part === 'sockets') {
    if (served.has(name.split('?')[0] ?? '')) return 'Served, and used by the client.';
    return leftOut(name, 'is refused') ?? 'Refused.';
  }
  if (part === 'events') return typed.has(name) ? 'Typed.' : 'Kept, passed on and shown with its name.';
  const tool = part === 'actions' || part === 'observations' ? MADE_BY[name] : undefined;
  if (tool !== undefined) return `Made by the tool \`${tool}\`.`;
  if (part === 'actions' || part === 'observations') return 'Kept, passed on and shown with its members.';
  if (part === 'folder') return 'Left in place.';
  return '';
}

/**
 * Returns what a route or socket of a feature that is left out does, and why it is left out.
 *
 * @param {string} path
 * @param {string} verb
 * @returns {string | undefined}
 */
function leftOut(path, verb) {
  const [, how, why] = LEFT_OUT.find(([beginning]) => path.startsWith(beginning)) ?? [];
  return how === undefined ? undefined : `Left out: ${verb} ${how}. ${why}`;
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
function reasonOf(path) {
  const reason = NOT_HERE.find(([beginning]) => path.startsWith(beginning))?.[1];
  return reason === undefined ? undefined : `. ${reason}`;
}
