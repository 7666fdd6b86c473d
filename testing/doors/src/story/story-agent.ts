import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

import { abortable, errorText, type Agent, type AgentSession, type StepContext, type StepOutcome } from '@conv/core';
import {
  agentMessage,
  contentParts,
  drafts,
  imageContent,
  isEvent,
  joinedText,
  textContent,
  type ActionEvent,
  type Event,
  type EventDraft,
  type EventDraftOfKind,
  type JsonObject,
  type Observation,
} from '@conv/core/events';
import type { Tool, ToolSession } from '@conv/core/tool';

import { IMAGE, turnFor } from './story.ts';
import { paint, repeat } from './story-tools.ts';
import type { StoryCall, StoryStep } from './story-turn.ts';

/** The member of the agent's state with the message whose answer does not end by itself. */
export const HANGS = 'hangs';

/** Calls that run at the same time. */
const CALLS = 3;

/** An agent that plays the story which the newest message of the user names. Its next step follows from the log alone. */
export const storyAgent: Agent = {
  describe: () => ({ kind: 'Agent', llm: { model: 'story' }, tools: TOOLS.map(({ name }) => ({ name, params: {} })) }),
  toolNames: [repeat.name, paint.name],
  start: async (session) => sessionOf(session),
  withModel: () => storyAgent,
};

const TOOLS: readonly Tool[] = [repeat, paint];

type Tools = ReadonlyMap<string, Tool>;

function sessionOf(session: ToolSession): AgentSession {
  const tools: Tools = new Map(TOOLS.map((tool) => [tool.name, tool]));
  return {
    tools: [...tools.keys()].map((name) => ({ name, readOnly: false })),
    toolConcurrency: CALLS,
    systemPrompt: () =>
      drafts.systemPrompt(
        'You tell stories.',
        [...tools.values()].map(({ wire }) => wire.definition as never),
      ),
    step: (context) => step(context, tools),
    edit: (event, input) => edited(event, input, tools),
    resources: () => [],
    execute: (event, { signal }) => execute(event, { ...session, signal, toolCallId: event.tool_call_id }, tools),
    answer: () => Promise.reject(new Error('a story has no side questions')),
    close: async () => {},
  };
}

async function step(context: StepContext, tools: Tools): Promise<StepOutcome> {
  const view = await context.view();
  const next = nextStep(view);
  if (!next) return 'finished';
  if (next.condenses && !view.some((event) => isEvent(event, 'CondensationSummaryEvent'))) return condense(context);
  await stream(next, context);
  if (next.end === 'breaks') throw Object.assign(new Error('the story breaks off'), { name: 'LLMBadRequestError' });
  if (next.end === 'hangs') return hang(context, view[newestMessage(view)]);
  const response = randomUUID();
  const thought = joined(next.text);
  const reasoning = joined(next.reasoning);
  if (next.calls.length === 0) {
    const more = reasoning === '' ? {} : { reasoning_content: reasoning };
    const content = [textContent(thought), ...(next.paints ? [imageContent(IMAGE)] : [])];
    await context.emit([agentMessage({ content, llm_response_id: response, ...more })]);
    return 'finished';
  }
  const made = next.calls.map((call, at) => {
    const first = { thought: thought === '' ? [] : [textContent(thought)], reasoning_content: reasoning };
    return { ...action(call, response, tools), ...(at === 0 ? first : {}) };
  });
  await context.emit(made);
  return 'continue';
}

/** Takes what came before the newest message of the user out of the view, as far as it may be cut. */
async function condense(context: StepContext): Promise<StepOutcome> {
  const { events, cuts, offsets } = await context.condensableView();
  const message = newestMessage(events);
  const prompts = events.filter((event) => isEvent(event, 'SystemPromptEvent')).length;
  const from = cuts.find((cut) => cut >= prompts) ?? 0;
  const to = cuts.findLast((cut) => cut <= message) ?? 0;
  await context.emit([
    drafts.condensation({
      forgotten_event_ids: events.slice(from, to).map(({ id }) => id),
      summary: 'A turn before.',
      summary_offset: offsets[from] ?? 0,
      llm_response_id: randomUUID(),
    }),
  ]);
  return 'condensed';
}

/** Tells the pieces of a step, each in a frame of its own. */
async function stream(
  { superseded, reasoning, text: said }: StoryStep,
  { onToken, signal }: StepContext,
): Promise<void> {
  const tell = async (kind: 'text' | 'reasoning', attempt: number, piece: string): Promise<void> => {
    onToken?.({ kind, attempt, text: piece });
    for (let pause = 0; pause < 3; pause++) await turn();
    signal.throwIfAborted();
  };
  for (const [at, attempt] of superseded.entries()) for (const piece of attempt) await tell('text', at + 1, piece);
  const last = superseded.length + 1;
  for (const piece of reasoning) await tell('reasoning', last, piece);
  for (const piece of said) await tell('text', last, piece);
}

/** Waits until the run is stopped, and says in the state that it does. */
async function hang(context: StepContext, message: Event | undefined): Promise<never> {
  await context.setAgentState({ [HANGS]: message?.id ?? '' });
  return abortable(new Promise<never>(() => {}), context.signal);
}

/** Returns the step that comes after the responses since the newest message of the user. */
function nextStep(view: readonly Event[]): StoryStep | undefined {
  const at = newestMessage(view);
  const message = view[at];
  if (!message || !isEvent(message, 'MessageEvent')) return undefined;
  const responses = new Set(
    view.slice(at).flatMap((event) => ('llm_response_id' in event ? [event.llm_response_id] : [])),
  );
  return turnFor(joinedText(contentParts(message.llm_message)))?.steps[responses.size];
}

function newestMessage(view: readonly Event[]): number {
  return view.findLastIndex((event) => isEvent(event, 'MessageEvent') && event.source === 'user');
}

function action({ tool, words, risky, fails }: StoryCall, response: string, tools: Tools): EventDraft {
  return called(tool, { words, fails }, { llm_response_id: response, security_risk: risky ? 'HIGH' : 'LOW' }, tools);
}

type More = Pick<ActionEvent, 'llm_response_id'> & Partial<Pick<ActionEvent, 'security_risk'>>;

function called(name: string, input: JsonObject, more: More, tools: Tools): EventDraftOfKind<'ActionEvent'> {
  const id = randomUUID();
  return drafts.action({
    tool_name: name,
    tool_call_id: id,
    tool_call: { id, name, arguments: JSON.stringify(input), origin: 'completion' },
    action: toolOf(name, tools).wire.toAction(input) as never,
    ...more,
  });
}

/** Returns a call like another one with the arguments of a person, of the same response. */
function edited(event: ActionEvent, input: JsonObject, tools: Tools): EventDraftOfKind<'ActionEvent'> {
  const { tool_name: name, llm_response_id } = event;
  toolOf(name, tools).parse(input);
  return called(name, input, { llm_response_id }, tools);
}

async function execute(event: ActionEvent, context: Parameters<Tool['execute']>[1], tools: Tools): Promise<EventDraft> {
  const tool = toolOf(event.tool_name, tools);
  const stored = event.action as JsonObject;
  const result = await Promise.resolve(tool.parse(tool.wire.fromAction(stored)))
    .then((input) => tool.execute(input, context))
    .catch((error: unknown) => ({ error }));
  context.signal.throwIfAborted();
  if ('error' in result) return drafts.agentError(event, errorText(result.error));
  return drafts.observation(event, tool.wire.toObservation(result, stored) as Observation);
}

function toolOf(name: string, tools: Tools): Tool {
  const tool = tools.get(name);
  if (!tool) throw new Error(`expected a tool of the story, found ${name}`);
  return tool;
}

function joined(pieces: readonly string[]): string {
  return pieces.join('').trimEnd();
}
