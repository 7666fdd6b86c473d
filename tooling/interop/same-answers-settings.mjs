import { get, patch, post, put, remove, since } from './same-answers-requests.mjs';

const MODEL = { llm: { model: 'openai/scripted', api_key: 'sk-of-interop' } };
const NEVER = '11111111-2222-4333-8444-555555555555';

/** The members of a diagnosis that do not depend on the defaults of a server. */
const diagnosis = ({ resolved_settings: settings, resolved_skills: skills, ...rest }) => ({
  ...rest,
  skills: skills.toSorted(),
  settings: settings && {
    model: settings.llm.model,
    servers: Object.keys(settings.mcp_config),
    tools: settings.tools.map(({ name }) => name),
    suffix: settings.agent_context.system_message_suffix,
    disabled: settings.agent_context.disabled_skills,
    skills: settings.agent_context.skills.map(({ name }) => name),
    limit: settings.tool_concurrency_limit,
    condenser: settings.condenser.enabled,
  },
});

/** The members of a profile, without the number of its format. */
const profile = ({ name, profile: members }) => [
  name,
  Object.fromEntries(Object.entries(members).filter(([member]) => !['schema_version', 'id'].includes(member))),
];

/**
 * @param {readonly { status: number, body: any }[]} seen
 * @param {string} name
 */
const idOf = (seen, name) => seen.find(({ body }) => body?.name === name && body.profile)?.body.profile.id;

/** Cases about what clients store beside conversations; see `same-answers-cases.mjs`. */
export const SETTINGS = {
  'llm-profiles': () => [
    get('/api/profiles'),
    get('/api/profiles/a'),
    post('/api/profiles/a', {}, { words: true }),
    post('/api/profiles/a', { llm: { api_key: 'sk-x' } }, { words: true }),
    post('/api/profiles/a/validate', { llm: {} }, { words: true }),
    post('/api/profiles/a', { llm: { model: 'openai/m', api_key: 'sk-x' }, include_secrets: false }),
    post('/api/profiles/b', MODEL),
    post('/api/profiles/.b', MODEL, { words: true }),
    get('/api/profiles'),
    get('/api/profiles/b', {
      look: ({ name, config, api_key_set }) => [name, config.model, config.api_key, api_key_set],
    }),
    get('/api/profiles/b', { headers: { 'x-expose-secrets': 'please' }, words: true }),
    get('/api/profiles/b', {
      headers: { 'x-expose-secrets': 'plaintext' },
      look: ({ config }) => [config.model, config.api_key],
    }),
    post('/api/profiles/b/rename', { new_name: 'b' }, { since: '1.58.0' }),
    post('/api/profiles/b/rename', { new_name: 'a' }),
    post('/api/profiles/none/rename', { new_name: 'c' }),
    post('/api/profiles/b/rename', { new_name: '' }, { words: true }),
    post('/api/profiles/b/activate', undefined, { since: '1.58.0' }),
    post('/api/profiles/none/activate'),
    post('/api/agent-profiles/user', { llm_profile_ref: 'b' }),
    remove('/api/profiles/b', { since: '1.58.0' }),
    post('/api/profiles/b/rename', { new_name: 'c' }),
    get('/api/agent-profiles/user', { look: ({ profile: { llm_profile_ref: ref } }) => ref }),
    get('/api/settings', { look: ({ active_profile: active }) => active, since: '1.58.0' }),
    remove('/api/agent-profiles/user'),
    remove('/api/profiles/c'),
    remove('/api/profiles/c'),
    get('/api/profiles'),
  ],
  'agent-profiles': () =>
    since('1.58.0', [
      get('/api/agent-profiles', {
        look: ({ profiles, active_agent_profile_id: active }) => [
          profiles.map(({ id, ...members }) => ({ ...members, isActive: id === active })),
        ],
      }),
      get('/api/agent-profiles/default', { look: profile }),
      get('/api/agent-profiles/none'),
      post('/api/agent-profiles/none/materialize'),
      post('/api/agent-profiles/.a', { llm_profile_ref: 'base' }, { words: true }),
      post('/api/agent-profiles/a', {}, { words: true }),
      post('/api/agent-profiles/a', { llm_profile_ref: 'base', mcp_server_refs: ['web', 'gone', 'web'] }),
      get('/api/agent-profiles/a', { look: profile }),
      post('/api/agent-profiles/a/materialize', undefined, { look: diagnosis }),
      post('/api/profiles/base', MODEL),
      post('/api/agent-profiles/a/materialize', undefined, { look: diagnosis }),
      post('/api/settings/mcp/web', { url: 'https://web.example' }, { look: () => 'added' }),
      post('/api/settings/mcp/files', { url: 'https://files.example' }, { look: () => 'added' }),
      post(
        '/api/agent-profiles/a/materialize',
        {
          profile: {
            llm_profile_ref: 'base',
            mcp_server_refs: ['web', 'files', 'web'],
            system_message_suffix: 'Be brief.',
            disabled_skills: ['none'],
            public_skills: [],
            tools: [{ name: 'terminal' }],
            tool_concurrency_limit: 3,
          },
        },
        { look: diagnosis },
      ),
      post('/api/agent-profiles/a/materialize', { profile: 7 }, { words: true }),
      post(
        '/api/agent-profiles/a/materialize',
        {
          profile: { llm_profile_ref: 'base', tools: [{ name: 'telescope' }, { name: 'terminal' }] },
        },
        { look: diagnosis },
      ),
      post(
        '/api/agent-profiles/a/materialize',
        {
          profile: { llm_profile_ref: 'base', meta_profile_ref: 'none', enable_classify_and_switch_llm_tool: true },
        },
        { look: diagnosis },
      ),
      post('/api/conversations', (seen) => ({
        agent_profile_id: idOf(seen, 'a'),
        workspace: { kind: 'LocalWorkspace', working_dir: '/tmp' },
      })),
      post(
        '/api/conversations',
        { agent_profile_id: NEVER, workspace: { kind: 'LocalWorkspace', working_dir: '/tmp' } },
        { words: true },
      ),
      post(`/api/agent-profiles/${NEVER}/activate`),
      post((seen) => `/api/agent-profiles/${idOf(seen, 'a')}/activate`, undefined, {
        look: ({ agent_settings_applied: applied }) => applied,
      }),
      patch('/api/settings', { active_agent_profile_id: NEVER }),
      post('/api/agent-profiles/a/rename', { new_name: 'a' }),
      post('/api/agent-profiles/a/rename', { new_name: 'default' }),
      post('/api/agent-profiles/none/rename', { new_name: 'b' }),
      post('/api/agent-profiles/a/rename', { new_name: 'b' }),
      remove('/api/agent-profiles/b'),
      remove('/api/agent-profiles/b'),
      get('/api/agent-profiles', {
        look: ({ profiles, active_agent_profile_id: active }) => profiles.map(({ id, name }) => [name, id === active]),
      }),
    ]),
  'kept-secrets': () => [
    get('/api/settings/secrets'),
    put('/api/settings/secrets', { name: 'TOKEN', value: 'a-value', description: 'For a test.' }),
    put('/api/settings/secrets', { name: 'TOKEN', value: '**********' }, { words: true, since: '1.58.0' }),
    put('/api/settings/secrets', { name: 'TOKEN', value: ' ' }, { words: true, since: '1.58.0' }),
    put('/api/settings/secrets', { name: '1TOKEN', value: 'x' }, { words: true }),
    put('/api/settings/secrets', { value: 'x' }, { words: true }),
    get('/api/settings/secrets'),
    get(`/api/settings/secrets?agent_profile_id=${NEVER}`, { since: '1.58.0' }),
    get('/api/settings/secrets/TOKEN', { text: true }),
    get('/api/settings/secrets/NONE'),
    remove('/api/settings/secrets/TOKEN'),
    remove('/api/settings/secrets/TOKEN'),
    get('/api/settings/secrets'),
  ],
  'kept-settings': () => [
    patch('/api/settings', {}, { words: true }),
    patch('/api/settings', { agent_settings_diff: { llm: { model: 7 } } }, { words: true }),
    patch('/api/settings', { active_profile: 'none' }),
    patch('/api/settings', { active_profile: null }, { look: ({ active_profile: active }) => active }),
    patch(
      '/api/settings',
      { misc_settings_diff: { a: { b: 1, c: [1] } } },
      { look: ({ misc_settings: misc }) => misc },
    ),
    patch(
      '/api/settings',
      { misc_settings_diff: { a: { b: null, d: 2 } } },
      { look: ({ misc_settings: misc }) => misc },
    ),
    patch('/api/settings', { misc_settings_diff: { a: null, e: 3 } }, { look: ({ misc_settings: misc }) => misc }),
    patch('/api/settings', { conversation_settings_diff: { max_iterations: 0 } }, { words: true }),
    patch(
      '/api/settings',
      { conversation_settings_diff: { max_iterations: 9 } },
      {
        look: ({ conversation_settings: settings }) => settings.max_iterations,
      },
    ),
    get('/api/settings', { headers: { 'x-expose-secrets': 'please' }, words: true }),
    post(
      '/api/settings/mcp/web',
      { url: 'https://web.example', headers: { 'X-Key': 'secret-of-interop' } },
      {
        look: ({ agent_settings: { mcp_config: servers } }) => servers.web.headers,
      },
    ),
    post('/api/settings/mcp/web', { url: 'https://web.example' }),
    patch('/api/settings/mcp/none', { url: 'https://x.example' }),
    remove('/api/settings/mcp/none'),
    remove('/api/settings/mcp/web', { look: ({ agent_settings: { mcp_config: servers } }) => Object.keys(servers) }),
  ],
};
