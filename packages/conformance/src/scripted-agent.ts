import { z } from 'zod';

import {
  type Agent,
  type AgentSession,
  type CallContext,
  errorText,
  type GoalJudgement,
  type AskResult,
  type StepContext,
  type StepOutcome,
} from '@conv/core';
import {
  drafts,
  type ActionEvent,
  agentMessage,
  type Event,
  type EventDraft,
  type EventDraftOfKind,
  type GoalVerdict,
  joinedText,
  type JsonObject,
  type ToolDefinition,
} from '@conv/core/events';
import { type Platform, systemPlatform } from '@conv/core/platform';
import { eventsToMessages } from '@conv/openhands/messages';
import type { CallRecord } from '@conv/core/store';
import { toolWires, defineTool, text, type Tool, ToolError, type ToolSession } from '@conv/core/tool';
import { ModelScript, type ModelTurn, type ScriptedCall } from './conversation/model-script.ts';

const finishTool: Tool = defineTool({
  name: 'finish',
  description: 'Ends the task with a message.',
  input: z.object({ message: z.string() }),
  wire: (tool) =>
    toolWires.native(tool, { definition: 'FinishTool', action: 'FinishAction', observation: 'FinishObservation' }),
  execute: ({ message }) => text(message),
});

const thinkTool: Tool = defineTool({
  name: 'think',
  description: 'Notes a thought.',
  input: z.object({ thought: z.string() }),
  wire: (tool) =>
    toolWires.native(tool, { definition: 'ThinkTool', action: 'ThinkAction', observation: 'ThinkObservation' }),
  execute: () => text('Noted.'),
});

/** The options of a {@link ScriptedAgent}. */
export interface ScriptedAgentOptions {
  readonly script: ModelScript;
  /** Tools beside `finish` and `think`. All conversations share them. */
  readonly tools?: readonly Tool[];
  /** The highest number of calls that run at the same time. Default 1. */
  readonly toolConcurrency?: number;
  /** Gives the ids of answers. Default: the platform of the host. */
  readonly platform?: Pick<Platform, 'id'>;
}

/** An agent without a model, for tests: answers by a script, executes real tools and emits events as any agent does. */
export class ScriptedAgent implements Agent {
  readonly #options: ScriptedAgentOptions;
  readonly #tools: ReadonlyMap<string, Tool>;

  constructor(options: ScriptedAgentOptions) {
    this.#options = options;
    this.#tools = new Map([...(options.tools ?? []), finishTool, thinkTool].map((tool) => [tool.name, tool]));
  }

  get toolNames(): readonly string[] {
    return [...this.#tools.keys()];
  }

  describe(): JsonObject {
    return { kind: 'Agent', llm: { model: 'scripted' }, tools: this.toolNames.map((name) => ({ name, params: {} })) };
  }

  async start(session: ToolSession): Promise<AgentSession> {
    const own = (session.ownTools ?? []).map((tool) => [tool.name, tool] as const);
    return new ScriptedSession(this.#options, new Map([...this.#tools, ...own]), session);
  }

  withModel(model: unknown): ScriptedAgent {
    if (!(model instanceof ModelScript)) throw new TypeError('the model of a scripted agent is a script');
    return new ScriptedAgent({ ...this.#options, script: model });
  }

  get script(): ModelScript {
    return this.#options.script;
  }
}

class ScriptedSession implements AgentSession {
  readonly toolConcurrency: number;
  #script: ModelScript;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #session: ToolSession;
  readonly #platform: Pick<Platform, 'id'>;

  constructor(options: ScriptedAgentOptions, tools: ReadonlyMap<string, Tool>, session: ToolSession) {
    this.toolConcurrency = options.toolConcurrency ?? 1;
    this.#script = options.script;
    this.#tools = tools;
    this.#session = session;
    this.#platform = options.platform ?? systemPlatform;
  }

  get tools(): AgentSession['tools'] {
    return [...this.#tools.values()].map(({ name, annotations }) => ({
      name,
      readOnly: annotations.readOnly ?? false,
    }));
  }

  systemPrompt(): EventDraft {
    const definitions = [...this.#tools.values()].map(({ wire }) => wire.definition as unknown as ToolDefinition);
    return drafts.systemPrompt('You follow a script.', definitions);
  }

  async step(context: StepContext): Promise<StepOutcome> {
    const turn = await this.#ask(context.signal, await context.view());
    const id = this.#platform.id();
    if ('error' in turn) throw Object.assign(new Error(turn.error), { name: 'LLMBadRequestError' });
    if ('calls' in turn) {
      await context.emit(this.#callDrafts(turn.calls, id, context.state.securityAnalyzer !== null), [callRecord(id)]);
      return 'continue';
    }
    const said = agentMessage({ content: turn.text === '' ? [] : turn.text, llm_response_id: id });
    const nudge = turn.text === '' ? [drafts.environmentMessage('Say something or call a tool.')] : [];
    await context.emit([said, ...nudge], [callRecord(id)]);
    return turn.text === '' ? 'continue' : 'finished';
  }

  resources(event: ActionEvent): readonly string[] | undefined {
    const tool = this.#tools.get(event.tool_name);
    return tool && event.action ? tool.resources(tool.wire.fromAction(event.action as JsonObject)) : [];
  }

  edit(event: ActionEvent, args: JsonObject): EventDraftOfKind<'ActionEvent'> {
    const { tool_name: name, llm_response_id } = event;
    const tool = this.#tools.get(name);
    const unknown = Object.keys(args).find(
      (key) => !Object.hasOwn(Object(tool?.inputSchema['properties']) as object, key),
    );
    if (!tool || unknown !== undefined) throw new ToolError('INVALID_INPUT', `${name}: unknown ${unknown ?? 'tool'}`);
    const id = `edit-${this.#platform.id()}`;
    return drafts.action({
      action: tool.wire.toAction(tool.parse(args)) as never,
      tool_name: name,
      tool_call_id: id,
      tool_call: { id, name, arguments: JSON.stringify(args), origin: 'completion' },
      llm_response_id,
    });
  }

  async execute(event: ActionEvent, { signal }: CallContext): Promise<EventDraft> {
    const tool = this.#tools.get(event.tool_name);
    if (!tool || !event.action) return drafts.agentError(event, `Tool '${event.tool_name}' is not there.`);
    const stored = event.action as JsonObject;
    try {
      const input = tool.parse(tool.wire.fromAction(stored));
      const result = await tool.execute(input, { ...this.#session, signal, toolCallId: event.tool_call_id });
      return drafts.observation(event, tool.wire.toObservation(result, stored) as never);
    } catch (error) {
      signal.throwIfAborted();
      return drafts.agentError(event, errorText(error));
    }
  }

  async answer(...[, view, signal]: Parameters<AgentSession['answer']>): ReturnType<AgentSession['answer']> {
    return this.#say('a side question', view, signal);
  }

  async judge(...[, view, signal]: Parameters<NonNullable<AgentSession['judge']>>): Promise<GoalJudgement> {
    const { text, record } = await this.#say('a verdict', view, signal);
    return { verdict: JSON.parse(text) as GoalVerdict, record };
  }

  async title(...[, , signal]: Parameters<NonNullable<AgentSession['title']>>): Promise<AskResult> {
    return this.#say('a title', [], signal);
  }

  switchTo(agent: Agent): void {
    if (!(agent instanceof ScriptedAgent)) throw new TypeError('not a scripted agent');
    this.#script = agent.script;
  }

  async close(): Promise<void> {
    for (const tool of this.#tools.values()) await tool.close?.();
  }

  async #say(what: string, view: readonly Event[], signal: AbortSignal): Promise<AskResult> {
    const turn = await this.#ask(signal, view);
    if (!('text' in turn)) throw new Error(`the script has no text for ${what}`);
    return { text: turn.text, record: callRecord(this.#platform.id()) };
  }

  #ask(signal: AbortSignal, view: readonly Event[]): Promise<ModelTurn> {
    const messages = eventsToMessages(view);
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => joinedText(content));
    return this.#script.next(
      signal,
      messages.map(({ role }) => role),
      results,
    );
  }

  /** Returns all actions, then the errors of the actions that cannot be executed. */
  #callDrafts(calls: readonly ScriptedCall[], responseId: string, asksForRisk: boolean): readonly EventDraft[] {
    const actions: EventDraft[] = [];
    const errors: EventDraft[] = [];
    calls.forEach((call, at) => {
      const id = `${responseId}-${at}`;
      const checked = this.#check(call);
      actions.push(
        drafts.action({
          ...('action' in checked ? { action: checked.action as never } : {}),
          tool_name: call.name,
          tool_call_id: id,
          tool_call: { id, name: call.name, arguments: argumentsOf(call), origin: 'completion' },
          llm_response_id: responseId,
          ...(call.risk && asksForRisk ? { security_risk: call.risk } : {}),
        }),
      );
      if ('error' in checked) errors.push(drafts.agentError({ tool_name: call.name, tool_call_id: id }, checked.error));
    });
    return [...actions, ...errors];
  }

  #check(call: ScriptedCall): { readonly action: JsonObject } | { readonly error: string } {
    const tool = this.#tools.get(call.name);
    if (!tool) return { error: `Tool '${call.name}' not found.` };
    try {
      return { action: tool.wire.toAction(tool.parse(JSON.parse(argumentsOf(call)))) };
    } catch (error) {
      return { error: errorText(error) };
    }
  }
}

function argumentsOf({ arguments: given }: ScriptedCall): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function callRecord(responseId: string): CallRecord {
  return {
    kind: 'model_call',
    usageId: 'agent',
    model: 'scripted',
    cost: 0.001,
    promptTokens: 100,
    completionTokens: 10,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    contextWindow: 100_000,
    latency: 0,
    responseId,
    timestamp: 0,
  };
}
