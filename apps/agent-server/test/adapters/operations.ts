import type { Scope } from '@conv/server/access';

/** A conversation with a call that waits for a person. */
export interface Place {
  readonly id: string;
  /** The id of the message that the call came of. */
  readonly event: string;
  readonly action: string;
  /** Another conversation of its owner, in which nothing waits. */
  readonly other: string;
}

/** A request of a client of an adapter. */
export interface Operation {
  readonly name: string;
  readonly needs: readonly Scope[];
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: (place: Place) => string;
  readonly body?: (place: Place) => object;
  readonly headers?: (place: Place) => Readonly<Record<string, string>>;
  /** True if it needs no conversation that is there: it begins one, or tells of none. */
  readonly anywhere?: true;
}

const READ: readonly Scope[] = ['read'];
const RUN: readonly Scope[] = ['read', 'run'];
const APPROVE: readonly Scope[] = ['read', 'approve'];

const said = { id: 'a message', role: 'user', parts: [{ type: 'text', text: 'On' }] };
const post = (name: string, needs: readonly Scope[], path: string, body: (place: Place) => object): Operation => {
  return { name, needs, method: 'POST', path: () => path, body };
};
const get = (name: string, path: (place: Place) => string): Operation => ({ name, needs: READ, method: 'GET', path });
const stop = (name: string, path: (place: Place) => string): Operation => ({
  name,
  needs: RUN,
  method: 'DELETE',
  path,
});

const thread = ({ id: threadId }: Place, more: object): object => {
  return { threadId, runId: 'run', state: {}, tools: [], context: [], forwardedProps: {}, messages: [], ...more };
};
const interrupt = (name: string, payload: object): Operation =>
  post(name, APPROVE, '/api/ag-ui', (place) =>
    thread(place, { resume: [{ interruptId: place.action, status: 'resolved', payload }] }),
  );
const responseId = ({ id, event }: Place): string => `resp_${`${id}_${event}`.replaceAll('-', '')}`;
const rpc = (name: string, needs: readonly Scope[], params: (place: Place) => object): Operation => {
  return post(`A2A ${name}`, needs, '/api/a2a', (place) => ({
    jsonrpc: '2.0',
    id: 1,
    method: name,
    params: params(place),
  }));
};
const task = ({ id, event }: Place): object => ({ id: `${id}_${event}` });
const ofTask = ({ id, event }: Place): object => ({ taskId: `${id}_${event}` });
const pushConfig = (place: Place): object => ({ ...ofTask(place), id: 'receiver' });
const words = ({ id: contextId }: Place): object => {
  return { message: { messageId: 'm', role: 'ROLE_USER', contextId, parts: [{ text: 'On' }] } };
};
const decision = (name: string, given: object): Operation => {
  const said = (place: Place): object => {
    const parts = [{ data: { call: place.action, ...given } }];
    return { message: { messageId: 'm', role: 'ROLE_USER', taskId: `${place.id}_${place.event}`, parts } };
  };
  return { ...rpc('SendMessage', APPROVE, said), name };
};

const MCP = 'io.modelcontextprotocol';

/** Returns the call of a tool of MCP, as clients send it. */
export function toolCall(
  name: string,
  given: object,
  more: object = {},
): { readonly headers: Readonly<Record<string, string>>; readonly body: object } {
  const version = '2026-07-28';
  const _meta = {
    [`${MCP}/protocolVersion`]: version,
    [`${MCP}/clientInfo`]: { name: 'test', version: '1' },
    [`${MCP}/clientCapabilities`]: {},
    progressToken: 1,
  };
  const params = { name, arguments: given, _meta, ...more };
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  };
}

const tool = (
  name: string,
  needs: readonly Scope[],
  given: (place: Place) => object,
  more?: (place: Place) => object,
): Operation => ({
  ...post(`MCP ${name}`, needs, '/mcp', (place) => toolCall(name, given(place), more?.(place)).body),
  headers: () => toolCall(name, {}).headers,
});
const answerOf = ({ id, event }: Place): object => ({ task: `${id}.${event}` });
const answered =
  (answer: object) =>
  ({ action }: Place): object => ({ inputResponses: { [action]: answer } });
const ACCEPTED = { action: 'accept', content: { approved: true } };
const EDITED = { approved: true, arguments: '{"words":"other"}' };

/** Requests of clients of the adapters about a conversation. */
export const OPERATIONS: readonly Operation[] = [
  get('chat: history', ({ id }) => `/api/chat/${id}`),
  get('chat: stream', ({ id }) => `/api/chat/${id}/stream`),
  { ...post('chat: message', RUN, '/api/chat', ({ id }) => ({ id, messages: [said] })), anywhere: true },
  post('chat: approval', APPROVE, '/api/chat', ({ id, action: toolCallId }) => {
    const call = { type: 'dynamic-tool', toolName: 'echo', toolCallId, input: {}, state: 'approval-responded' };
    const parts = [{ ...call, approval: { id: toolCallId, approved: true } }];
    return { id, messages: [{ id: 'answer', role: 'assistant', parts }] };
  }),
  post('chat: rejection', APPROVE, '/api/chat', ({ id, action: toolCallId }) => {
    const call = { type: 'dynamic-tool', toolName: 'echo', toolCallId, input: {}, state: 'approval-responded' };
    const parts = [{ ...call, approval: { id: toolCallId, approved: false, reason: 'No.' } }];
    return { id, messages: [{ id: 'answer', role: 'assistant', parts }] };
  }),
  stop('chat: stop', ({ id }) => `/api/chat/${id}/stream`),
  get('AG-UI: stream', ({ id }) => `/api/ag-ui/${id}`),
  {
    ...post('AG-UI: run', RUN, '/api/ag-ui', (place) =>
      thread(place, { threadId: place.other, messages: [{ id: 'm', role: 'user', content: 'On' }] }),
    ),
    anywhere: true,
  },
  interrupt('AG-UI: approval', { approved: true }),
  interrupt('AG-UI: edit', { approved: true, editedArgs: { words: 'other' } }),
  interrupt('AG-UI: rejection', { approved: false }),
  stop('AG-UI: stop', ({ id }) => `/api/ag-ui/${id}`),
  get('OpenAI: response', (place) => `/v1/responses/${responseId(place)}`),
  get('OpenAI: resumption', (place) => `/v1/responses/${responseId(place)}?stream=true&starting_after=1`),
  post('OpenAI: responses', RUN, '/v1/responses', ({ id: conversation }) => ({ conversation, input: 'On' })),
  post('OpenAI: approval', APPROVE, '/v1/responses', ({ id: conversation, action }) => {
    return { conversation, input: [{ type: 'mcp_approval_response', approval_request_id: action, approve: true }] };
  }),
  post('OpenAI: rejection', APPROVE, '/v1/responses', ({ id: conversation, action }) => {
    return { conversation, input: [{ type: 'mcp_approval_response', approval_request_id: action, approve: false }] };
  }),
  { ...post('OpenAI: cancel', RUN, '', () => ({})), path: (place) => `/v1/responses/${responseId(place)}/cancel` },
  post('OpenAI: chat', RUN, '/v1/chat/completions', ({ id: conversation }) => {
    return { metadata: { conversation }, messages: [{ role: 'user', content: 'On' }] };
  }),
  {
    ...post('OpenAI: chat of a header', RUN, '/v1/chat/completions', () => ({
      messages: [{ role: 'user', content: 'On' }],
    })),
    headers: ({ id }) => ({ 'x-openhands-serverconversation-id': id }),
    anywhere: true,
  },
  { ...get('OpenAI: models', () => '/v1/models'), anywhere: true },
  rpc('GetTask', READ, task),
  rpc('ListTasks', READ, ({ id: contextId }) => ({ contextId, includeArtifacts: true })),
  rpc('SubscribeToTask', READ, task),
  rpc('SendMessage', RUN, words),
  rpc('SendStreamingMessage', RUN, words),
  decision('A2A: approval', { approved: true }),
  decision('A2A: edit', { approved: true, arguments: { words: 'other' } }),
  decision('A2A: rejection', { approved: false }),
  // rejects the call that waits before it interrupts
  rpc('CancelTask', APPROVE, task),
  // a receiver is told what the key of its client may read
  rpc('CreateTaskPushNotificationConfig', READ, (place) => ({ ...pushConfig(place), url: 'http://127.0.0.1:9/' })),
  rpc('GetTaskPushNotificationConfig', READ, pushConfig),
  rpc('ListTaskPushNotificationConfigs', READ, ofTask),
  rpc('DeleteTaskPushNotificationConfig', READ, pushConfig),
  tool('read_answer', READ, answerOf),
  tool('converse', RUN, ({ id: conversation }) => ({ message: 'On', conversation })),
  { ...tool('read_answer', APPROVE, answerOf, answered(ACCEPTED)), name: 'MCP: approval' },
  {
    ...tool('read_answer', APPROVE, answerOf, answered({ action: 'accept', content: EDITED })),
    name: 'MCP: edit',
  },
  { ...tool('read_answer', APPROVE, answerOf, answered({ action: 'decline' })), name: 'MCP: rejection' },
  // rejects the call that waits before it interrupts
  tool('stop_answer', APPROVE, answerOf),
];

/** Returns the request of an operation. */
export function requestOf(
  { method, path, body, headers: more }: Operation,
  place: Place,
  { url, key }: { readonly url: string; readonly key: string },
): Request {
  const own = more?.(place) ?? {};
  const headers = { 'x-session-api-key': key, 'content-type': 'application/json', 'a2a-version': '1.0', ...own };
  const given = body ? { body: JSON.stringify(body(place)) } : {};
  return new Request(url + path(place), { method, headers, ...given });
}
