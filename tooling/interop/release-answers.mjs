import { plain } from './our-members.mjs';

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
  [
    '/api/conversations/{runtime_conversation_id}/desktop',
    'as where none is enabled',
    'This server has no desktop, and later releases have none.',
  ],
  ['/api/llm/subscription', 'as where there is no login', 'Subscription logins belong to one vendor.'],
  ['/api/desktop', 'as where none is enabled', 'This server has no desktop, and later releases have none.'],
  ['/api/vscode', 'as where none is enabled', 'This server has no editor.'],
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

const NO_BROWSER = 'agents of this server have no browser';
const KEEPS_ALL = 'nothing of a conversation is deleted without a request for it';
const OWN_LIMITS = '`CONV_CONTAINER_LIMITS` has the limits of containers';

/**
 * Reasons why variables `OH_*` have no effect; empty for variables that are read.
 *
 * @type {Readonly<Record<string, string>>}
 */
const VARIABLES = {
  previous_secret_keys: '',
  conversation_runtime: '',
  conversation_image: '',
  conversation_runtime_selectable: '`CONV_RUNTIMES` lists what clients may choose',
  conversation_container_cpus: OWN_LIMITS,
  conversation_container_memory: OWN_LIMITS,
  conversation_container_pids_limit: OWN_LIMITS,
  conversation_container_startup_timeout: 'a container has the time that its image needs',
  conversation_storage_disk_budget: KEEPS_ALL,
  conversation_storage_retention_days: KEEPS_ALL,
  conversation_image_has_browser: NO_BROWSER,
  enable_browser: NO_BROWSER,
  app_backend_public_url: 'programs of extensions are not run here',
  trust_forwarded_headers: 'the address of a caller is that of its connection',
  acp_skill_sourcing: 'agents of other programs (ACP) read their own skills',
};

/**
 * Objects whose members are explained elsewhere or unused here, by the beginning of their name.
 *
 * @type {[string, string][]}
 */
const OBJECTS = [
  ['CanvasExtension', 'Left out with its routes'],
  ['InstalledCanvasExtension', 'Left out with its routes'],
  ['BaseWorkspace', 'Ignored: a workspace of a request is a folder of this server'],
  ['RemoteWorkspace', 'Ignored: a workspace of a request is a folder of this server'],
  ['Action', 'Members of the kinds of tools above'],
  ['Observation', 'Members of the kinds of tools above'],
];

/**
 * Objects that have another name here.
 *
 * @type {Readonly<Record<string, string>>}
 */
const NAMES = {
  OpenHandsAgentProfile: 'AgentProfile',
  AgentBase: 'Agent',
  SettingsUpdateRequest: 'UpdateSettingsRequest',
};

/**
 * Files of a folder whose new members are said here.
 *
 * @type {Readonly<Record<string, string>>}
 */
const FILES = {
  names: 'Removed before an event is written',
  'meta.json': 'Written if the request that made the conversation gave them',
};

/**
 * Returns what is done here with members that a release added to something that there was, as sentences. A member without an answer is named as not
 * known here; the committed page has none.
 *
 * @param {string} part
 * @param {string} name
 * @param {readonly string[]} added
 * @param {import('./our-members.mjs').Ours} ours
 * @returns {string}
 */
export function membersAnswer(part, name, added, ours) {
  if (part === 'settings' && name === 'OH_*') return added.map(variableAnswer).join('. ');
  if (part === 'settings') return 'Kept and used';
  if (part === 'folder') return FILES[name] ?? 'Kept';
  const known = part === 'routes' ? ours.routes.get(plain(name)) : ours.schemas.get(schemaOf(name));
  const unknown = added.filter((member) => !known?.has(member));
  if (unknown.length === 0) return part === 'routes' ? 'Served' : 'Typed';
  const elsewhere = part === 'routes' ? ofRoute(name, unknown) : ofObject(name);
  return elsewhere ?? `Not known here: ${unknown.map((member) => `\`${member}\``).join(', ')}`;
}

/**
 * Returns why a route lacks these members: one sentence if the route is left out, else the reasons of all of them, each once. `undefined` if one of
 * them has no reason.
 *
 * @param {string} name
 * @param {readonly string[]} unknown
 */
function ofRoute(name, unknown) {
  const reasons = unknown.map((member) => absenceOf(`${name}: ${member}`));
  const known = reasons.includes(undefined) ? undefined : [...new Set(reasons)].join(' ');
  return (leftOut(name.split(' ')[1] ?? '', 'answers') ?? known)?.replace(/\.$/, '');
}

/** @param {string} name */
function ofObject(name) {
  return OBJECTS.find(([beginning]) => name.startsWith(beginning))?.[1];
}

/** @param {string} name */
function schemaOf(name) {
  const object = name.replace(/-(?:Input|Output)$/, '');
  return NAMES[object] ?? object;
}

/** @param {string} name */
function variableAnswer(name) {
  const why = VARIABLES[name];
  if (why === undefined) return `Not known here: \`${name}\``;
  return why === '' ? `\`${name}\` is read` : `\`${name}\` has no effect: ${why}`;
}

/**
 * Reasons why a route or a member of one is not here, by its beginning.
 *
 * @type {[string, string][]}
 */
const ABSENT = [
  ['POST /api/init: header X-Session-API-Key', 'The document of the server names it, and both read `X-Init-API-Key`.'],
  [
    'POST /v1/chat/completions: header X-OpenHands-Observability-',
    'Ignored: what a request says about traces is kept by `POST /api/conversations`.',
  ],
  [
    'POST /v1/responses: header X-OpenHands-Observability-',
    'Ignored: what a request says about traces is kept by `POST /api/conversations`.',
  ],
];

/** @param {string} name */
function absenceOf(name) {
  return ABSENT.find(([beginning]) => name.startsWith(beginning))?.[1];
}

/**
 * Returns a line about something that a release has and this server does not, as `missingHere` names it.
 *
 * @param {string} name
 */
export function missingLine(name) {
  const [route = '', member] = name.split(': ');
  const path = route.split(' ').at(-1) ?? '';
  const shown = member === undefined ? `\`${route}\`` : `\`${route}\`, \`${member}\``;
  const elsewhere = path.startsWith('/v1/') ? 'Served by `conv-server`, with `@conv/openai`.' : undefined;
  return `- ${shown}: ${absenceOf(name) ?? elsewhere ?? 'Not known here.'}`;
}

/**
 * True for something of a feature that is left out as a whole.
 *
 * @param {string} name
 */
export function isLeftOut(name) {
  return leftOut(name.split(': ')[0]?.split(' ').at(-1) ?? '', '') !== undefined;
}

/** Returns the features that are left out, a line each with how their routes answer, and why. */
export function leftOutLines() {
  return LEFT_OUT.map(([beginning, how, why]) => `- \`${beginning}\`: answers ${how}. ${why}`);
}

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
