import type { Agent, AgentSession } from '@conv/core';
import { drafts, type EventDraft } from '@conv/core/events';
import type { ConversationStore } from '@conv/core/store';
import type { ToolSession } from '@conv/core/tool';
import { openLocalConversation } from '@conv/local';

import { EFFECTS, type Effect, type PeerEffects } from '../peer.ts';

const CALL = 'call_effects';

/** Runs of a tool of ours that keeps, as the handle of its call, how many effects are done. */
export function effectsOf(store: ConversationStore, workspace: string): PeerEffects {
  const open = (id: string, effect: Effect) =>
    openLocalConversation(
      { storeAt: () => store },
      { store, id, agent: agentWithEffects(effect), workspace, interruptedRun: 'resume' },
    );
  return {
    start: async (id, effect) => {
      const conversation = await open(id, effect);
      await conversation.sendMessage('go on');
      await conversation.run();
    },
    resume: async (id, effect) => {
      const conversation = await open(id, effect);
      await conversation.resumeRun();
      await conversation.close();
    },
  };
}

function agentWithEffects(effect: Effect): Agent {
  const agent: Agent = {
    describe: () => ({ kind: 'Agent' }),
    toolNames: [],
    start: async (place) => sessionWithEffects(effect, place),
    withModel: () => agent,
  };
  return agent;
}

function sessionWithEffects(effect: Effect, { handles }: ToolSession): AgentSession {
  return {
    tools: [],
    systemPrompt: () => drafts.systemPrompt('bench', []),
    step: async (context) => {
      const isCalled = (await context.view()).some(({ kind }) => kind === 'ActionEvent');
      await context.emit([isCalled ? FINAL : call()]);
      return isCalled ? 'finished' : 'continue';
    },
    resources: () => [],
    execute: async (action) => {
      const done = Number(handles?.get(CALL)?.['done'] ?? 0);
      for (let number = done + 1; number <= EFFECTS; number++) {
        await effect(number);
        await handles?.keep(CALL, { done: number });
      }
      return drafts.observation(action, {
        content: [{ type: 'text', text: 'done' }],
        is_error: false,
        tool_name: 'effects',
        kind: 'MCPToolObservation',
      });
    },
    answer: () => Promise.reject(new Error('not asked here')),
    close: async () => {},
  };
}

function call(): EventDraft {
  return drafts.action({
    action: { data: {}, kind: 'MCPToolAction' },
    tool_name: 'effects',
    tool_call_id: CALL,
    tool_call: { id: CALL, name: 'effects', arguments: '{}', origin: 'completion' },
    llm_response_id: 'response_effects',
  });
}

const FINAL: EventDraft = {
  source: 'agent',
  llm_message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
  llm_response_id: 'response_final',
  kind: 'MessageEvent',
};
