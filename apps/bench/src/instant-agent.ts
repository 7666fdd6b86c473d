import type { Agent, AgentSession } from '@conv/core';
import { drafts, type EventDraft } from '@conv/core/events';
import { eventsToMessages } from '@conv/openhands/messages';
import { toChatMessages } from '@conv/openhands/messages';

/** An agent whose model and tool take no time: each run has so many calls, one after the other, and a message. */
export function instantAgent(steps: number): Agent {
  let step = 0;
  const session: AgentSession = {
    tools: [],
    systemPrompt: () => drafts.systemPrompt('bench', []),
    async step(context) {
      toChatMessages(eventsToMessages(await context.view()), {});
      const number = step++;
      if (number >= steps) {
        await context.emit([finalMessage(number)]);
        step = 0;
        return 'finished';
      }
      await context.emit([callOf(number)]);
      return 'continue';
    },
    resources: () => [],
    execute: async (call) =>
      drafts.observation(call, {
        content: [{ type: 'text', text: 'done' }],
        is_error: false,
        tool_name: 'noop',
        kind: 'MCPToolObservation',
      }),
    answer: () => Promise.reject(new Error('not asked here')),
    close: async () => {},
  };
  const agent: Agent = {
    describe: () => ({ kind: 'Agent' }),
    toolNames: [],
    start: async () => session,
    withModel: () => agent,
  };
  return agent;
}

function callOf(number: number): EventDraft {
  return drafts.action({
    action: { data: { number }, kind: 'MCPToolAction' },
    tool_name: 'noop',
    tool_call_id: `call_${number}`,
    tool_call: { id: `call_${number}`, name: 'noop', arguments: '{}', origin: 'completion' },
    llm_response_id: `response_${number}`,
  });
}

function finalMessage(number: number): EventDraft {
  return {
    source: 'agent',
    llm_message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    llm_response_id: `response_${number}`,
    kind: 'MessageEvent',
  };
}
