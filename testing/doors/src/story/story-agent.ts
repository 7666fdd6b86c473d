import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

import { errorText, type Agent, type AgentSession, type StepContext, type StepOutcome } from '@conv/core';
import {
  agentMessage,
  contentParts,
  drafts,
  isEvent,
  joinedText,
  textContent,
  type ActionEvent,
  type Event,
  type EventDraft,
  type JsonObject,
  type Observation,
} from '@conv/core/events';
import { defineTool, text, type Tool, type ToolSession } from '@conv/core/tool';
import { z } from 'zod';

import { stepsFor, type StoryCall, type StoryStep } from './story.ts';

const repeat: Tool = defineTool({
  name: 'repeat',
  description: 'Repeats words.',
  input: z.object({ words: z.string(), fails: z.boolean() }),
  resources: () => [],
  execute: ({ words, fails }) => {
    if (fails) throw new Error(`${words} cannot be repeated`);
    return text(words);
  },
});

/** An agent that plays the story which the newest message of the user names. Its next step follows from the log alone. */
export const storyAgent: Agent = {
  describe: () => ({ kind: 'Agent', llm: { model: 'story' }, tools: [{ name: repeat.name, params: {} }] }),
  toolNames: [repeat.name],
  start: async (session) => sessionOf(session),
  withModel: () => storyAgent,
};

function sessionOf(session: ToolSession): AgentSession {
  return {
    tools: [{ name: repeat.name, readOnly: false }],
    systemPrompt: () => drafts.systemPrompt('You tell stories.', [repeat.wire.definition as never]),
    step: (context) => step(context),
    resources: () => [],
    execute: (event, { signal }) => execute(event, { ...session, signal, toolCallId: event.tool_call_id }),
    answer: () => Promise.reject(new Error('a story has no side questions')),
    close: async () => {},
  };
}

async function step(context: StepContext): Promise<StepOutcome> {
  const next = nextStep(await context.view());
  if (!next) return 'finished';
  await stream(next, context);
  if (next.breaks) throw Object.assign(new Error('the story breaks off'), { name: 'LLMBadRequestError' });
  const response = randomUUID();
  const thought = joined(next.text);
  const reasoning = joined(next.reasoning);
  if (next.calls.length === 0) {
    const more = reasoning === '' ? {} : { reasoning_content: reasoning };
    await context.emit([agentMessage({ content: thought, llm_response_id: response, ...more })]);
    return 'finished';
  }
  const made = next.calls.map((call, at) => {
    const first = { thought: thought === '' ? [] : [textContent(thought)], reasoning_content: reasoning };
    return { ...action(call, response), ...(at === 0 ? first : {}) };
  });
  await context.emit(made);
  return 'continue';
}

/** Tells the pieces of a step, each in a frame of its own. */
async function stream(
  { superseded, reasoning, text: said }: StoryStep,
  { onToken, signal }: StepContext,
): Promise<void> {
  const isRetried = superseded.length > 0;
  const tell = async (kind: 'text' | 'reasoning', attempt: number, piece: string): Promise<void> => {
    onToken?.({ kind, attempt, text: piece });
    for (let pause = 0; pause < 3; pause++) await turn();
    signal.throwIfAborted();
  };
  for (const piece of superseded) await tell('text', 1, piece);
  for (const piece of reasoning) await tell('reasoning', isRetried ? 2 : 1, piece);
  for (const piece of said) await tell('text', isRetried ? 2 : 1, piece);
}

/** Returns the step that comes after the responses since the newest message of the user. */
function nextStep(view: readonly Event[]): StoryStep | undefined {
  const at = view.findLastIndex((event) => isEvent(event, 'MessageEvent') && event.source === 'user');
  const message = view[at];
  if (!message || !isEvent(message, 'MessageEvent')) return undefined;
  const responses = new Set(
    view.slice(at).flatMap((event) => ('llm_response_id' in event ? [event.llm_response_id] : [])),
  );
  return stepsFor(joinedText(contentParts(message.llm_message)))[responses.size];
}

function action({ words, risky, fails }: StoryCall, response: string): EventDraft {
  const id = randomUUID();
  const input = { words, fails };
  return drafts.action({
    tool_name: repeat.name,
    tool_call_id: id,
    tool_call: { id, name: repeat.name, arguments: JSON.stringify(input), origin: 'completion' },
    llm_response_id: response,
    security_risk: risky ? 'HIGH' : 'LOW',
    action: repeat.wire.toAction(input) as never,
  });
}

async function execute(event: ActionEvent, context: Parameters<Tool['execute']>[1]): Promise<EventDraft> {
  const stored = event.action as JsonObject;
  const result = await Promise.resolve(repeat.parse(repeat.wire.fromAction(stored)))
    .then((input) => repeat.execute(input, context))
    .catch((error: unknown) => ({ error }));
  context.signal.throwIfAborted();
  if ('error' in result) return drafts.agentError(event, errorText(result.error));
  return drafts.observation(event, repeat.wire.toObservation(result, stored) as Observation);
}

function joined(pieces: readonly string[]): string {
  return pieces.join('').trimEnd();
}
