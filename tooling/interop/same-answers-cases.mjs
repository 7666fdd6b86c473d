import { CAPABILITIES } from '@conv/openhands/rest';
import { get, patch, post, remove, since } from './same-answers-requests.mjs';
import { CONVERSATIONS } from './same-answers-conversations.mjs';
import { SETTINGS } from './same-answers-settings.mjs';
import { WORKSPACE } from './same-answers-workspace.mjs';

const rules = {
  classifier_model: 'small',
  classes: [
    { description: 'a question', model: 'fast' },
    { description: 'code', model: 'deep' },
  ],
};
/** The members of settings that rules change. */
const routing = ({ active_meta_profile, agent_settings: agent }) => ({
  active_meta_profile,
  agent: [
    agent.active_meta_profile ?? null,
    agent.enable_classify_and_switch_llm_tool ?? false,
    agent.meta_profile ?? null,
  ],
});

const CONNECTIONS = '/api/llm/provider-connections';
const connection = {
  display_name: 'Ours',
  provider: 'anthropic',
  api_key: 'sk-of-interop',
  base_url: 'https://models.example',
};

/**
 * Returns the id of the first connection that was made.
 * @param {readonly { status: number, body: any }[]} seen
 */
const made = (seen) => seen.find(({ status }) => status === 201)?.body.id;
/** The key of servers that wait for their configuration, and the key of clients that they get. */
const init = { 'x-init-api-key': 'interop-secret-key' };
const SESSION_KEY = 'interop-key-of-the-session';
const NEVER = '11111111-2222-4333-8444-555555555555';
const EXTENSION = '/api/canvas-extensions/installed/a-b';
const LOGIN = '/api/llm/subscription/openai';

const NO_KEY = { 'x-session-api-key': undefined };

/** Members of the information about a server in OpenHands' newest release. Ours has some of its own. */
const INFO = [
  'app_backend_ingress_url',
  'available_conversation_runtimes',
  'build_git_ref',
  'build_git_sha',
  'capabilities',
  'conversation_runtime',
  'docs',
  'idle_time',
  'max_foreground_terminal_timeout_seconds',
  'python_version',
  'redoc',
  'runtime_idle_timeout_seconds',
  'sdk_version',
  'title',
  'tools_version',
  'uptime',
  'usable_tools',
  'version',
  'workspace_version',
];

/** @param {Record<string, unknown>} info */
const kindsOfInfo = (info) =>
  INFO.map((name) => [name, info[name] === null ? 'null' : Array.isArray(info[name]) ? 'list' : typeof info[name]]);

/** Capabilities of what ours adds, and of what it leaves out. */
const OWN = new Set([
  ...Object.values(CAPABILITIES),
  ...['activation_guard', 'readiness_probe'].map((name) => `credential_binding_${name}_v1`),
  'credential_binding_v1',
]);

/** @param {string[]} capabilities */
const shared = (capabilities) => capabilities.filter((name) => !OWN.has(name)).toSorted();

/**
 * The requests of each case, in their order. `since` names the release that has the route, and `before` the first one without it, `look` chooses what of an answer that is no refusal is
 * compared, `words` says that a refusal may be in other words, and `text` that the answer is no JSON.
 *
 * `isMended` says that ours may refuse what theirs fails at. `document` is the OpenAPI document of their server.
 *
 * @type {Record<string, (given: { project: string, document: any }) => object[]>}
 */
export const ANSWERS = {
  ...SETTINGS,
  ...CONVERSATIONS,
  ...WORKSPACE,
  'meta-profiles': () =>
    since('1.49.6', [
      get('/api/meta-profiles'),
      get('/api/meta-profiles/a'),
      post('/api/meta-profiles/a', { classifier_model: 'small' }, { words: true }),
      post('/api/meta-profiles/a', { classifier_model: 'small', prompt_template: 'no place' }, { words: true }),
      post('/api/meta-profiles/.a', rules, { words: true }),
      post('/api/meta-profiles/a', rules),
      post('/api/meta-profiles/b', { classifier_model: 'small', prompt_template: 'For {{ instance_text }}' }),
      get('/api/meta-profiles'),
      get('/api/meta-profiles/a'),
      post('/api/meta-profiles/none/activate'),
      post('/api/meta-profiles/a/activate', undefined, { since: '1.58.2' }),
      patch('/api/settings', { active_meta_profile: 'a' }, { look: ({ active_meta_profile }) => active_meta_profile }),
      get('/api/settings', { look: ({ active_meta_profile }) => active_meta_profile }),
      get('/api/settings', { look: routing, since: '1.58.2' }),
      patch('/api/settings', { active_meta_profile: 'none' }, { since: '1.58.0' }),
      patch('/api/settings', { active_meta_profile: null }, { look: ({ active_meta_profile }) => active_meta_profile }),
      patch('/api/settings', { active_meta_profile: 'a' }, { look: ({ active_meta_profile }) => active_meta_profile }),
      remove('/api/meta-profiles/a'),
      get('/api/settings', { look: routing, since: '1.58.0' }),
      remove('/api/meta-profiles/a'),
      get('/api/meta-profiles'),
    ]),
  'provider-connections': () => [
    get(CONNECTIONS),
    post(CONNECTIONS, { display_name: 'Ours' }, { words: true }),
    post(CONNECTIONS, { ...connection, api_key: '**********' }, { words: true, since: '1.58.0' }),
    post(CONNECTIONS, { ...connection, display_name: '' }, { words: true }),
    post(CONNECTIONS, connection),
    get(CONNECTIONS),
    patch((seen) => `${CONNECTIONS}/${made(seen)}`, {}),
    patch((seen) => `${CONNECTIONS}/${made(seen)}`, { api_key: null }),
    patch((seen) => `${CONNECTIONS}/${made(seen)}`, { display_name: null }, { words: true }),
    patch((seen) => `${CONNECTIONS}/${made(seen)}`, { display_name: 'Theirs', base_url: null }),
    patch(`${CONNECTIONS}/none`, { provider: 'x' }),
    post('/api/profiles/linked', (seen) => ({ llm: { model: 'openai/m', provider_connection_id: made(seen) } })),
    get('/api/profiles', { look: ({ profiles }) => profiles.filter(({ name }) => name === 'linked') }),
    remove((seen) => `${CONNECTIONS}/${made(seen)}`),
    remove('/api/profiles/linked'),
    remove((seen) => `${CONNECTIONS}/${made(seen)}`),
    remove((seen) => `${CONNECTIONS}/${made(seen)}`, { look: () => 'gone' }),
    post('/api/profiles/broken', { llm: { model: 'openai/m', provider_connection_id: 'gone' } }),
    get('/api/profiles', { look: ({ profiles }) => profiles.filter(({ name }) => name === 'broken') }),
    post('/api/profiles/broken/activate', undefined, { words: true }),
  ],
  'sub-agents': ({ project }) => [
    post('/api/sub-agents', { project_dir: project, load_user: false, load_builtin: false }),
    post('/api/sub-agents', { load_user: false, load_builtin: false }),
    post(
      '/api/sub-agents',
      { project_dir: project, load_project: false, load_user: false },
      {
        look: ({ agents }) =>
          ['general-purpose', 'bash-runner', 'code-explorer'].map((wanted) => {
            const { name, level, is_builtin, tools, model } = agents.find(({ name: known }) => known === wanted) ?? {};
            return { name, level, is_builtin, tools, model };
          }),
      },
    ),
  ],
  'git-repositories': () =>
    since('1.50.1', [
      get('/api/git/repositories/search?provider=github'),
      get('/api/git/repositories/search?provider=gitlab'),
      get('/api/git/repositories/search?provider=svn', { words: true }),
      get('/api/git/repositories/search?provider=github&limit=101', { words: true }),
    ]),
  'deferred-init': () => [
    get('/api/init'),
    get('/ready'),
    get('/api/conversations/search'),
    post('/api/conversations', {}),
    get('/api/settings'),
    get('/api/nothing'),
    // 1.43.1 answers it although it waits
    get('/v1/models', { words: true, since: '1.58.0' }),
    post('/api/init', {}),
    post('/api/init', {}, { headers: { 'x-init-api-key': 'another-secret-key' } }),
    post('/api/init', { member: 1 }, { headers: init, words: true }),
    post('/api/init', { max_concurrent_runs: 0 }, { headers: init, words: true }),
    // 1.43.1 takes an empty key, which then opens it
    post('/api/init', { session_api_keys: ['a', ''] }, { headers: init, since: '1.58.0' }),
    get('/api/init'),
    post('/api/init', { session_api_keys: [SESSION_KEY], env: { REGION: 'north' } }, { headers: init }),
    get('/api/init'),
    post('/api/init', {}, { headers: init }),
    post('/api/init', {}),
    get('/api/conversations/search', { headers: { 'x-session-api-key': 'another' } }),
    get('/api/conversations/search', { headers: { 'x-session-api-key': SESSION_KEY }, look: ({ items }) => items }),
    post(
      '/api/bash/execute_bash_command',
      { command: 'printf "$REGION"' },
      { headers: { 'x-session-api-key': SESSION_KEY }, look: ({ stdout }) => stdout },
    ),
  ],
  'server-info': () => [
    get('/alive', { headers: NO_KEY }),
    get('/health', { headers: NO_KEY }),
    get('/ready', { headers: NO_KEY }),
    get('/server_info', { headers: NO_KEY, look: kindsOfInfo, since: '1.58.0' }),
    get('/', { headers: NO_KEY, look: kindsOfInfo, since: '1.58.0' }),
    get('/server_info', { look: ({ title, docs, redoc }) => [title, docs, redoc] }),
    // what it is built with is the server's own
    get('/server_info', { look: ({ capabilities }) => shared(capabilities), since: '1.58.2' }),
    get('/server_info', { look: ({ version, sdk_version: sdk }) => [version, sdk], since: '1.58.2' }),
    get('/api/tools/catalog', { look: ({ tools }) => typeof tools.length, since: '1.58.0' }),
    get('/api/conversations/count', { headers: NO_KEY }),
  ],
  'left-out': () => [
    ...since('1.44.1', [
      get('/api/canvas-extensions/installed'),
      get(EXTENSION),
      patch(EXTENSION, { enabled: true }),
      remove(EXTENSION),
      get(`${EXTENSION}/bundle`),
      get('/api/canvas-extensions/installed/A_B', { words: true }),
      post('/api/canvas-extensions/install', { source: '/nowhere' }, { words: true }),
    ]),
    ...since('1.50.1', [
      get(`${EXTENSION}/backend`),
      post(`${EXTENSION}/backend/prepare`, { revision: 'r' }),
      post(`${EXTENSION}/backend/start`, { revision: 'r' }),
      post(`${EXTENSION}/backend/stop`),
      get(`${EXTENSION}/backend/logs`),
      remove(`${EXTENSION}/backend/data`),
      post('/app-backends/a-b/session'),
      remove('/app-backends/a-b/session'),
    ]),
    get(`${EXTENSION}/icon`, { since: '1.53.0' }),
    get('/api/vscode/status', { look: ({ running, enabled }) => [running, enabled] }),
    get('/api/vscode/url', { words: true }),
    get(`/api/conversations/${NEVER}/vscode/status`, { words: true, since: '1.58.0' }),
    get(`/api/conversations/${NEVER}/vscode/url`, { words: true, since: '1.58.0' }),
    get('/api/desktop/url', { words: true, before: '1.49.0' }),
    get(`${LOGIN}/models`, { look: ({ vendor, models }) => [vendor, Array.isArray(models)] }),
    get(`${LOGIN}/status`),
    post(`${LOGIN}/logout`),
    post(`${LOGIN}/device/poll`, { device_code: 'x' }),
    get('/api/init'),
    post('/api/init', {}, { headers: { 'x-init-api-key': 'interop-secret-key' } }),
  ],
};
