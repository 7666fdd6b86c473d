import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Agent, AgentSession, StepContext, StepOutcome } from '@conv/core';
import {
  drafts,
  agentMessage,
  type ActionEvent,
  type EventDraft,
  type JsonObject,
  type Observation,
} from '@conv/core/events';
import { defineTool, type Tool, type ToolSession } from '@conv/core/tool';
import { z } from 'zod';
import type { Random } from '@conv/testing-harness';

const waiting: Tool = defineTool({
  name: 'wait',
  description: 'Waits, and answers with a text.',
  input: z.object({ milliseconds: z.number().int().min(0), characters: z.number().int().min(0) }),
  resources: () => [],
  execute: async ({ milliseconds, characters }, { signal }) => {
    await sleep(milliseconds, undefined, { signal });
    return 'w'.repeat(characters);
  },
});

/** An agent with random answers: batches of calls of one tool, then a message. */
export function scriptedAgent(random: Random): Agent {
  const agent: Agent = {
    describe: () => ({ kind: 'Agent', llm: { model: 'scripted' }, tools: [{ name: waiting.name, params: {} }] }),
    toolNames: [waiting.name],
    start: async (session) => scriptedSession(random, session),
    withModel: () => agent,
  };
  return agent;
}

function scriptedSession(random: Random, session: ToolSession): AgentSession {
  return {
    tools: [{ name: waiting.name, readOnly: false }],
    systemPrompt: () => drafts.systemPrompt('You are a test.', [waiting.wire.definition as never]),
    step: (context) => step(random, context),
    resources: () => [],
    execute: (event, { signal }) => execute(event, { ...session, signal, toolCallId: event.tool_call_id }),
    answer: () => Promise.reject(new Error('nothing is asked on the side')),
    close: async () => {},
  };
}

async function step(random: Random, context: StepContext): Promise<StepOutcome> {
  // a message that no model was asked with is not answered
  await context.view();
  await sleep(random.between(0, 5), undefined, { signal: context.signal });
  const response = randomUUID();
  if (random.chance(0.3)) {
    await context.emit([agentMessage({ content: 'That is all.', llm_response_id: response })]);
    return 'finished';
  }
  await context.emit(Array.from({ length: random.between(1, 3) }, () => call(random, response)));
  return 'continue';
}

function call(random: Random, response: string): EventDraft {
  const id = randomUUID();
  // sometimes more than fits into one socket frame
  const characters = random.chance(0.1) ? random.between(20_000, 200_000) : random.between(0, 2000);
  const input = { milliseconds: random.chance(0.2) ? random.between(10, 60) : random.between(0, 5), characters };
  return drafts.action({
    tool_name: waiting.name,
    tool_call_id: id,
    tool_call: { id, name: waiting.name, arguments: JSON.stringify(input), origin: 'completion' },
    llm_response_id: response,
    action: waiting.wire.toAction(input) as never,
  });
}

async function execute(event: ActionEvent, context: Parameters<Tool['execute']>[1]): Promise<EventDraft> {
  const { signal } = context;
  const stored = event.action as JsonObject;
  try {
    const result = await waiting.execute(waiting.parse(waiting.wire.fromAction(stored)), context);
    return drafts.observation(event, waiting.wire.toObservation(result, stored) as Observation);
  } catch (error) {
    signal.throwIfAborted();
    return drafts.agentError(event, String(error));
  }
}
