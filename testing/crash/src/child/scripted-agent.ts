import type { Agent, AgentSession, StepContext, StepOutcome } from '@conv/core';
import {
  drafts,
  agentMessage,
  type ActionEvent,
  type Event,
  type EventDraft,
  type JsonObject,
  type Observation,
} from '@conv/core/events';
import type { Tool, ToolSession } from '@conv/core/tool';
import type { Random } from '@conv/testing-harness';

import { newCallId } from '../call-id.ts';

/** Script of an agent without a model. */
export interface Script {
  readonly life: number;
  readonly random: Random;
  readonly tool: Tool;
  /** Called before each answer with the events that a model would be asked with. */
  readonly asked: (view: readonly Event[]) => Promise<void>;
}

/** An agent whose answers are drawn: batches of calls of one tool, now and then an invalid one, and a message in the end. */
export function scriptedAgent(script: Script): Agent {
  const agent: Agent = {
    describe: () => ({ kind: 'Agent', llm: { model: 'scripted' }, tools: [{ name: script.tool.name, params: {} }] }),
    toolNames: [script.tool.name],
    start: async (session) => scriptedSession(script, session),
    withModel: () => agent,
  };
  return agent;
}

function scriptedSession(script: Script, session: ToolSession): AgentSession {
  const { tool } = script;
  return {
    tools: [{ name: tool.name, readOnly: false }],
    systemPrompt: () => drafts.systemPrompt('You are a test.', [tool.wire.definition as never]),
    step: (context) => step(script, context),
    resources: () => [],
    execute: (event, { signal }) => execute(tool, event, { ...session, signal, toolCallId: event.tool_call_id }),
    answer: async () => {
      throw new Error('nothing is asked on the side');
    },
    close: async () => {},
  };
}

async function step({ asked, life, random, tool }: Script, context: StepContext): Promise<StepOutcome> {
  await asked(await context.view());
  const response = newCallId(life);
  if (random.chance(0.2)) {
    await context.emit([agentMessage({ content: 'That is all.', llm_response_id: response })]);
    return 'finished';
  }
  if (random.chance(0.2)) await context.setAgentState({ steps: random.between(0, 1000) });
  const calls = Array.from({ length: random.between(1, 4) }, () => call(life, random, tool, response));
  await context.emit(calls.flat());
  return 'continue';
}

function call(life: number, random: Random, tool: Tool, response: string): EventDraft[] {
  const id = newCallId(life);
  const input = {
    milliseconds: random.chance(0.2) ? random.between(10, 40) : random.between(0, 4),
    deaf: random.chance(0.3),
  };
  const asked = drafts.action({
    tool_name: tool.name,
    tool_call_id: id,
    tool_call: { id, name: tool.name, arguments: JSON.stringify(input), origin: 'completion' },
    llm_response_id: response,
    ...(random.chance(0.9) ? { action: tool.wire.toAction(input) as never } : {}),
  });
  return asked.action ? [asked] : [asked, drafts.agentError(asked, 'The arguments are no JSON.')];
}

async function execute(tool: Tool, event: ActionEvent, context: Parameters<Tool['execute']>[1]): Promise<EventDraft> {
  const { signal } = context;
  signal.throwIfAborted();
  const stored = event.action as JsonObject;
  try {
    const result = await tool.execute(tool.parse(tool.wire.fromAction(stored)), context);
    return drafts.observation(event, tool.wire.toObservation(result, stored) as Observation);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return drafts.agentError(event, String(error));
  }
}
