import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { ConversationInfo, Page } from '@conv/openhands/rest';

import { type CalledServer, eventually } from './server-process.ts';

/** Returns the body of a client's message with this text. */
export function says(text: string, more: JsonObject = {}): JsonObject {
  return { role: 'user', content: [{ type: 'text', text }], ...more };
}

/** The payload that OpenHands' clients make a conversation with. */
export function payload({ cwd, llm }: { readonly cwd: string; readonly llm: JsonObject }): JsonObject {
  return {
    agent: {
      kind: 'Agent',
      llm: { usage_id: 'agent', ...llm },
      tools: [{ name: 'terminal', params: {} }, { name: 'file_editor' }, { name: 'browser_tool_set', params: {} }],
      mcp_config: {},
      include_default_tools: ['FinishTool', 'ThinkTool'],
      condenser: null,
    },
    workspace: { kind: 'LocalWorkspace', working_dir: join(cwd, 'work', randomUUID()) },
    initial_message: null,
    max_iterations: 50,
    stuck_detection: true,
    plugins: null,
    tool_module_qualnames: { terminal: 'openhands.tools.terminal.definition' },
    hook_config: null,
    observability_metadata: {},
  };
}

/** Makes a conversation; rejects when it is refused. */
export async function make(server: CalledServer, body: JsonObject): Promise<ConversationInfo> {
  const answer = await server.call<ConversationInfo>('POST', '/api/conversations', body);
  if (answer.status !== 201) throw new Error(`refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** The conversation when it has this status. */
export function until(server: CalledServer, id: string, ...statuses: readonly string[]): Promise<ConversationInfo> {
  return eventually(async () => {
    const { body } = await server.call<ConversationInfo>('GET', `/api/conversations/${id}`);
    return statuses.includes(body.execution_status) && body;
  });
}

/** The ids of the children of a conversation, when there are any. A server may name its children a moment later. */
export function childrenOf(server: CalledServer, id: string): Promise<readonly string[]> {
  return eventually(async () => {
    const { body } = await server.call<ConversationInfo>('GET', `/api/conversations/${id}`);
    return body.sub_conversation_ids.length > 0 && body.sub_conversation_ids;
  });
}

/** Its events, at most a hundred. */
export async function eventsOf(server: CalledServer, id: string): Promise<readonly Event[]> {
  const { body } = await server.call<Page<Event>>('GET', `/api/conversations/${id}/events/search?limit=100`);
  return body.items;
}

/** The kinds of its events. */
export async function kindsOf(server: CalledServer, id: string): Promise<readonly string[]> {
  return (await eventsOf(server, id)).map(({ kind }) => kind);
}
