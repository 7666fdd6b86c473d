import { randomUUID } from 'node:crypto';

import type {
  Agent,
  AgentSession,
  CallContext,
  JsonObject,
  SecretDescription,
  AskResult,
  StepContext,
  StepOutcome,
} from '@conv/core';
import {
  drafts,
  agentMessage,
  type ActionEvent,
  type Event,
  type EventDraft,
  type GoalVerdict,
} from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';
import { ToolError, type ToolSession } from '@conv/core/tool';

/**
 * An answer of the model: text, or the names of the tools that it calls. A name that begins with `!` cannot be executed. A name that begins with `$` is
 * a command for a terminal.
 */
export type Answer = string | readonly string[];

/** The script of a conversation. Every function may wait, throw, or ignore its signal. */
export interface Script {
  /** The model, asked for the n-th time, from 1. Default: says `done`. */
  readonly think?: (request: Request) => Answer | Promise<Answer>;
  /** The tool of a call. Default: says `ok`. */
  readonly call?: (tool: string, signal: AbortSignal, event: ActionEvent, context: CallContext) => unknown;
  /** Answers a request for a condensation, in a step or outside of one. Default: the agent takes none. */
  readonly condense?: (context: StepContext) => void | Promise<void>;
  /** Judges a goal, for the n-th time from 1. Default: the agent cannot. */
  readonly judge?: (round: Round) => GoalVerdict | Promise<GoalVerdict>;
  /** Makes a title of a message. Default: the agent cannot. */
  readonly title?: (message: string, signal: AbortSignal, prompt?: string) => string | Promise<string>;
  /** Its signal is aborted when the conversation closes before the tools are made. */
  readonly start?: (signal?: AbortSignal) => void | Promise<void>;
  readonly close?: () => void | Promise<void>;
  readonly description?: JsonObject | Agent['describe'];
  /** Maximum number of calls at the same time. Default: not declared. */
  readonly concurrency?: number;
  /** Returns the resources that a call needs for itself. Default: not declared. */
  readonly resources?: (event: ActionEvent) => readonly string[] | undefined;
  /** Values that must never show. */
  readonly secretValues?: readonly string[];
  /** Called with the session that the tools are made for. */
  readonly onStart?: (session: ToolSession) => void;
  /** Told the secrets that the system prompt names. */
  readonly onPrompt?: (secrets: readonly SecretDescription[]) => void;
}

/** Request to the model. */
export interface Request {
  readonly number: number;
  readonly view: readonly Event[];
  readonly context: StepContext;
}

/** Question to the judge. */
export interface Round {
  readonly number: number;
  readonly objective: string;
  readonly view: readonly Event[];
  readonly signal: AbortSignal;
}

/** An agent that plays a script, and counts. */
export class ScriptedAgent implements Agent {
  readonly toolNames: readonly string[] = ['finish', 'work', 'terminal'];
  readonly #script: Script;
  requests = 0;
  /** The number of questions to the judge. */
  rounds = 0;
  /** Side questions, as they were asked. */
  readonly questions: string[] = [];
  /** Tool call ids in the order in which their tools began. */
  readonly begun: string[] = [];

  constructor(script: Script = {}) {
    this.#script = script;
  }

  describe(...options: Parameters<Agent['describe']>): JsonObject {
    const { description } = this.#script;
    if (typeof description === 'function') return description(...options);
    return description ?? { kind: 'Agent', tools: [{ name: 'work', params: {} }], llm: { model: 'script' } };
  }

  readonly secretValues = (): readonly string[] => this.#script.secretValues ?? [];

  withModel(): Agent {
    return this;
  }

  async start(session: ToolSession, { signal }: Parameters<Agent['start']>[1] = {}): Promise<AgentSession> {
    await this.#script.start?.(signal);
    this.#script.onStart?.(session);
    const { condense, concurrency, judge, title } = this.#script;
    return {
      ...(concurrency === undefined ? {} : { toolConcurrency: concurrency }),
      ...(condense ? { condense: async (context) => condense(context) } : {}),
      tools: this.toolNames.map((name) => ({ name, readOnly: false })),
      systemPrompt: ({ secrets = [] } = {}) => {
        this.#script.onPrompt?.(secrets);
        return drafts.systemPrompt('Play the script.', []);
      },
      step: (context) => this.#step(context),
      resources: (event) => this.#script.resources?.(event),
      edit: (event, args) => edited(event, args),
      execute: (event, context) => this.#execute(event, context),
      answer: (question, view, signal) => this.#answer(question, view, signal),
      ...(judge
        ? {
            judge: async (objective, view, signal) => {
              const number = ++this.rounds;
              return { verdict: await judge({ number, objective, view, signal }), record: recordOf('judge') };
            },
          }
        : {}),
      ...(title
        ? {
            title: async (message, _, signal, prompt) => ({
              text: await title(message, signal, prompt),
              record: recordOf('title'),
            }),
          }
        : {}),
      close: async () => this.#script.close?.(),
    };
  }

  async #step(context: StepContext): Promise<StepOutcome> {
    const { events: view, requested } = await context.condensableView();
    if (requested && this.#script.condense) {
      await this.#script.condense(context);
      return 'condensed';
    }
    const number = ++this.requests;
    const answer = this.#script.think ? await this.#script.think({ number, view, context }) : 'done';
    const response = randomUUID();
    if (typeof answer === 'string') {
      await context.emit([agentMessage({ content: answer, llm_response_id: response })], [callRecord(response)]);
      return 'finished';
    }
    const calls = answer.map((name) => toAction(name, response));
    const errors = calls
      .filter((call) => !call.action)
      .map((call) => drafts.agentError(call, `Tool '${call.tool_name}' not found.`));
    await context.emit([...calls, ...errors], [callRecord(response)]);
    return 'continue';
  }

  async #execute(event: ActionEvent, context: CallContext): Promise<EventDraft> {
    this.begun.push(event.tool_call_id);
    const said = (await this.#script.call?.(event.tool_name, context.signal, event, context)) ?? 'ok';
    if (typeof said !== 'string') return said as EventDraft;
    const content = [{ type: 'text', text: said, cache_prompt: false }] as const;
    const kind = event.tool_name === 'finish' ? 'FinishObservation' : 'WorkObservation';
    return drafts.observation(event, { content, is_error: false, kind });
  }

  async #answer(question: string, view: readonly Event[], signal: AbortSignal): Promise<AskResult> {
    this.questions.push(question);
    const answer = await this.#script.think?.({ number: 0, view, context: { signal } as StepContext });
    return { text: typeof answer === 'string' ? answer : `about ${question}`, record: callRecord('aside') };
  }
}

/** The call of a tool; see {@link Answer}. */
export function toAction(name: string, response: string): ReturnType<typeof drafts.action> {
  const tool = name.startsWith('$') ? 'terminal' : name.replace('!', '');
  const id = randomUUID();
  const value = {
    finish: { message: 'finished', kind: 'FinishAction' },
    terminal: { command: name.slice(2), kind: 'TerminalAction' },
  }[tool] ?? { kind: 'WorkAction' };
  return drafts.action({
    ...(name.startsWith('!') ? {} : { action: value as never }),
    tool_name: tool,
    tool_call_id: id,
    tool_call: { id, name: tool, arguments: '{}', origin: 'completion' },
    llm_response_id: response,
  });
}

/** Returns a call of the same tool with other arguments; an argument `wrong` is refused. */
function edited(
  { tool_name: tool, llm_response_id: response }: ActionEvent,
  args: JsonObject,
): ReturnType<typeof toAction> {
  if ('wrong' in args) throw new ToolError('INVALID_INPUT', `${tool}: unknown wrong`);
  const { action, ...call } = toAction(tool, response);
  return { ...call, action: { ...args, kind: action?.kind ?? '' } as never };
}

/** A call that is counted under a name of its own. */
function recordOf(usageId: string): CallRecord {
  return { ...callRecord(`${usageId}-response`), usageId };
}

/** Returns the record of a call of its model. */
export function callRecord(responseId: string): CallRecord {
  const tokens = { promptTokens: 10, completionTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  return {
    kind: 'model_call',
    usageId: 'agent',
    model: 'script',
    cost: 0.01,
    ...tokens,
    contextWindow: 1000,
    latency: 0,
    responseId,
    timestamp: 0,
  };
}
