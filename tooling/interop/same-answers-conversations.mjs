import { get, patch, post, put, remove, since } from './same-answers-requests.mjs';
import { wrongRequests } from './wrong-requests.mjs';

const NEVER = '11111111-2222-4333-8444-555555555555';
const OTHER = '22222222-2222-4333-8444-555555555555';
const AGENT = {
  kind: 'Agent',
  llm: {
    model: 'openai/scripted',
    base_url: 'http://127.0.0.1:9/v1',
    api_key: 'sk-of-interop',
    usage_id: 'agent',
    num_retries: 0,
  },
  tools: [{ name: 'terminal', params: {} }],
};
const WORKSPACE = { kind: 'LocalWorkspace', working_dir: '/tmp/conv-interop-none' };
const wanted = (more) => ({ agent: AGENT, workspace: WORKSPACE, autotitle: false, ...more });

/** The members of a conversation that both servers can have alike. */
const info = ({
  id,
  title,
  tags,
  max_iterations,
  execution_status,
  confirmation_policy,
  security_analyzer,
  parent_conversation_id,
}) => ({
  id,
  title,
  tags,
  max_iterations,
  execution_status,
  confirmation_policy,
  security_analyzer,
  parent_conversation_id,
});

const at = (id, more = '') => `/api/conversations/${id}${more}`;

/**
 * Commands on a conversation, with a body that they take.
 *
 * @type {[string, object?][]}
 */
const COMMANDS = [
  ['pause'],
  ['interrupt'],
  ['run'],
  ['goal', { objective: 'x' }],
  ['goal/stop'],
  ['goal/resume'],
  ['secrets', { secrets: {} }],
  ['confirmation_policy', { policy: { kind: 'NeverConfirm' } }],
  ['security_analyzer', { security_analyzer: null }],
  ['switch_profile', { profile_name: 'none' }],
  ['switch_llm', { llm: { model: 'openai/m' } }],
  ['load_plugin', { plugin_ref: 'x' }],
  ['switch_acp_model', { model: 'x' }],
  ['ask_agent', { question: 'x' }],
  ['condense'],
  ['fork', {}],
  ['navigate', { event_id: 'x' }],
  ['events', { role: 'user', content: [{ type: 'text', text: 'x' }] }],
  ['events/respond_to_confirmation', { accept: true }],
];

/** Only the status of an answer to a generated request is compared. Where OpenHands' server fails at one, ours refuses it. */
const status = { words: true, look: () => undefined, isMended: true, since: '1.58.0' };

/** Cases about conversations; see `same-answers-cases.mjs`. */
export const CONVERSATIONS = {
  'no-conversation': () =>
    since('1.58.0', [
      get(at(NEVER)),
      get(at('not-an-id'), { words: true }),
      patch(at(NEVER), { title: 'x' }),
      remove(at(NEVER)),
      put(at(NEVER), {}),
      get(at(NEVER, '/agent_final_response')),
      get(at(NEVER, '/events/search')),
      get(at(NEVER, '/events/count')),
      get(at(NEVER, '/events/none')),
      ...since('1.58.0', [
        get(at(NEVER, '/runtime')),
        post(at(NEVER, '/runtime/reprovision')),
        post(at(NEVER, '/children'), { task: 'x' }),
      ]),
      ...COMMANDS.map(([name, body]) => post(at(NEVER, `/${name}`), body, { words: true })),
      ...COMMANDS.filter(([name, body]) => body && !name.startsWith('events')).map(([name]) =>
        post(at(NEVER, `/${name}`), [], { words: true }),
      ),
      get(`/api/conversations?ids=${NEVER}`),
      get('/api/conversations', { words: true }),
      get('/api/conversations/search?limit=0', { words: true }),
      get('/api/conversations/search?limit=101', { words: true }),
      get('/api/conversations/search?status=none', { words: true }),
      get('/api/conversations/search?sort_order=none', { words: true }),
      get('/api/conversations/count?status=none', { words: true }),
    ]),
  'one-conversation': () =>
    since('1.58.0', [
      post('/api/conversations', {}, { words: true }),
      post('/api/conversations', wanted({ workspace: null }), { words: true }),
      post('/api/conversations', wanted({ conversation_id: 'x' }), { words: true }),
      post('/api/conversations', wanted({ max_iterations: 0 }), { words: true }),
      post('/api/conversations', wanted({ confirmation_policy: { kind: 'SometimesConfirm' } }), { words: true }),
      post('/api/conversations', wanted({ parent_conversation_id: NEVER }), { words: true, since: '1.58.0' }),
      post('/api/conversations', wanted({ conversation_id: OTHER, tags: { team: 'a' }, max_iterations: 9 }), {
        look: info,
      }),
      post('/api/conversations', wanted({ conversation_id: OTHER }), { look: info }),
      get(at(OTHER), { look: info }),
      get(at(OTHER.replaceAll('-', '')), { look: info }),
      get(`/api/conversations?ids=${OTHER}&ids=${NEVER}`, { look: (found) => found.map((one) => one && info(one)) }),
      get('/api/conversations/count'),
      get('/api/conversations/count?status=running'),
      get('/api/conversations/search', { look: ({ items, next_page_id: next }) => [items.map(info), next] }),
      patch(at(OTHER), { title: '  A title ' }),
      patch(at(OTHER), { title: '' }, { words: true }),
      patch(at(OTHER), { tags: { 'no tag': 'x' } }, { words: true }),
      patch(at(OTHER), {}),
      get(at(OTHER), { look: info }),
      post(at(OTHER, '/confirmation_policy'), { policy: { kind: 'AlwaysConfirm' } }),
      post(at(OTHER, '/confirmation_policy'), { policy: { kind: 'none' } }, { words: true }),
      post(at(OTHER, '/security_analyzer'), { security_analyzer: { kind: 'LLMSecurityAnalyzer' } }),
      get(at(OTHER), { look: info }),
      post(at(OTHER, '/switch_llm'), { llm: {} }, { words: true }),
      post(at(OTHER, '/pause')),
      post(at(OTHER, '/interrupt')),
      post(at(OTHER, '/goal/stop')),
      post(at(OTHER, '/switch_profile'), { profile_name: 'none' }),
      post(at(OTHER, '/navigate'), { event_id: 'none' }, { words: true }),
      post(at(OTHER, '/fork'), { from_event_id: 'none' }, { words: true }),
      post(at(OTHER, '/fork'), { id: OTHER }, { words: true }),
      get(at(OTHER, '/agent_final_response')),
      get(at(OTHER, '/events/none'), { words: true }),
      get(at(OTHER, '/events/search?limit=0'), { words: true }),
      get(at(OTHER, '/events/search?sort_order=none'), { words: true }),
      get(at(OTHER, '/events/search?timestamp__gte=none'), { words: true }),
      get(at(OTHER, '/events/count?kind=MessageEvent')),
      post(at(OTHER, '/events'), { role: 'nobody', content: [] }, { words: true }),
      post(at(OTHER, '/events/respond_to_confirmation'), {}, { words: true }),
      remove(at(OTHER)),
      remove(at(OTHER)),
      get(at(OTHER)),
    ]),
  'wrong-requests': ({ document }) => {
    const isCompared = ({ path, wrong }) =>
      // refusals of these routes have the form of OpenAI's API
      !path.startsWith('/v1/') &&
      // ours takes a text as a message
      wrong !== 'body content "x"';
    const all = wrongRequests(document).filter(isCompared);
    const ofOne = wrongRequests(document, { conversation: OTHER }).filter(
      (request) => isCompared(request) && request.path.includes(OTHER),
    );
    return [
      ...all.map((request) => ({ ...request, ...status })),
      post('/api/conversations', wanted({ conversation_id: OTHER }), { look: info, since: '1.58.0' }),
      ...ofOne.map((request) => ({ ...request, ...status })),
    ];
  },
};
