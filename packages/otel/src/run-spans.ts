import { checkOptionNames, type ExecutionStatus, type OptionNames } from '@conv/core';
import { type ActionEvent, type Event, isEvent } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';
import {
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Tracer,
} from '@opentelemetry/api';

import { callerContext } from './callers.ts';
import { outputMessages, resultText } from './content.ts';
import { chatAttributes } from './model-attributes.ts';
import { SpanText } from './span-text.ts';
import type { CommitObserver, ToolCall, ToolOutcome, WorkingConversation } from './work/commit-observer.ts';

/** Options of {@link RunSpans}. */
export interface RunSpansOptions {
  /** Takes values of secrets out of what models and clients chose. Default: nothing is taken out, because logs are masked. */
  readonly mask?: (text: string) => string;
  /** True to put answers of models, and arguments and results of calls, into spans. Default false. */
  readonly content?: boolean;
}

const NAMES: OptionNames<RunSpansOptions> = { mask: true, content: true };

/** The spans of one conversation that are open. */
interface Open {
  run: Span | undefined;
  step: Span | undefined;
  readonly tools: Map<string, Span>;
  /** The context of spans that have no run here. */
  readonly above: Context;
}

/**
 * Spans of runs, and in them of steps, calls of models and calls of tools, named as the conventions for generative AI name them. They say
 * what was done, how long it took and what it cost; without `content` they have nothing of what was said.
 */
export class RunSpans implements CommitObserver {
  readonly #tracer: Tracer;
  readonly #open = new Map<string, Open>();

  readonly #text: SpanText;
  readonly #hasContent: boolean;

  constructor(tracer: Tracer, options: RunSpansOptions = {}) {
    checkOptionNames('RunSpans', options, NAMES);
    const { mask = (text) => text, content = false } = options;
    this.#tracer = tracer;
    this.#text = new SpanText(mask);
    this.#hasContent = content;
  }

  /** Starts the span of a run, in the context of its caller. */
  started(conversationId: string): void {
    this.released(conversationId);
    const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': conversationId };
    const above = callerContext();
    const run = this.#tracer.startSpan('invoke_agent', { kind: SpanKind.INTERNAL, attributes }, above);
    this.#open.set(conversationId, { run, step: undefined, tools: new Map(), above });
  }

  /** Ends the span of a run. `error` is the error that the run rejected with. */
  ended(conversationId: string, { status, error }: { readonly status: string; readonly error?: unknown }): void {
    const run = this.#open.get(conversationId)?.run;
    run?.setAttribute('conv.run.status', status);
    if (run && error !== undefined) fail(run, this.#text.short(typeOf(error)));
    this.released(conversationId);
  }

  statusChanged({ id }: WorkingConversation, status: ExecutionStatus, events: readonly Event[]): void {
    const run = this.#open.get(id)?.run;
    if (!run || (status !== 'error' && status !== 'stuck')) return;
    const reason = events.findLast((event) => isEvent(event, 'ConversationErrorEvent'));
    fail(run, this.#text.short(reason?.code ?? status));
  }

  modelCalled(
    conversation: WorkingConversation,
    call: CallRecord,
    isStep: boolean,
    answer: readonly Event[] = [],
  ): void {
    const open = this.#of(conversation);
    const end = call.timestamp * 1000;
    const startTime = new Date(end - call.latency * 1000);
    if (isStep) {
      open.step?.end(startTime);
      const attributes = { 'gen_ai.conversation.id': conversation.id };
      open.step = this.#tracer.startSpan('step', { startTime, attributes }, under(open.run, open.above));
    }
    const span = this.#tracer.startSpan(
      this.#text.short(`chat ${call.model}`),
      { kind: SpanKind.CLIENT, startTime, attributes: this.#text.attributes(chatAttributes(conversation, call)) },
      under(open.step ?? open.run, open.above),
    );
    if (answer.length > 0) this.#tell(span, 'gen_ai.output.messages', () => this.#text.json(outputMessages(answer)));
    span.end(new Date(end));
  }

  toolStarted(conversation: WorkingConversation, { actionId, toolCallId, tool }: ToolCall, action?: ActionEvent): void {
    const open = this.#of(conversation);
    const attributes = this.#text.attributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.conversation.id': conversation.id,
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': toolCallId,
      'gen_ai.tool.type': 'function',
    });
    const name = this.#text.short(`execute_tool ${tool}`);
    const span = this.#tracer.startSpan(
      name,
      { kind: SpanKind.INTERNAL, attributes },
      under(open.step ?? open.run, open.above),
    );
    if (action) this.#tell(span, 'gen_ai.tool.call.arguments', () => this.#text.json(action.tool_call.arguments));
    open.tools.set(actionId, span);
  }

  toolEnded(
    conversation: WorkingConversation,
    { actionId }: ToolCall,
    outcome: ToolOutcome,
    _?: number,
    result?: Event,
  ): void {
    const { tools } = this.#of(conversation);
    const span = tools.get(actionId);
    if (!span) return;
    tools.delete(actionId);
    if (result) this.#tell(span, 'gen_ai.tool.call.result', () => this.#text.long(resultText(result)));
    if (outcome === 'failed') fail(span, 'tool_error');
    span.end();
  }

  /** Ends the open spans of a conversation. */
  released(conversationId: string): void {
    const open = this.#open.get(conversationId);
    if (!open) return;
    this.#open.delete(conversationId);
    for (const tool of open.tools.values()) tool.end();
    open.step?.end();
    open.run?.end();
  }

  #tell(span: Span, name: string, content: () => string): void {
    if (this.#hasContent) span.setAttribute(name, content());
  }

  /** A conversation that works for another one has no run of its own here: it stands under what that one does. */
  #of({ id, parentId }: WorkingConversation): Open {
    const known = this.#open.get(id);
    if (known) return known;
    const parent = parentId === null ? undefined : this.#open.get(parentId);
    const span = parent && ([...parent.tools.values()].at(-1) ?? parent.step ?? parent.run);
    const open: Open = {
      run: undefined,
      step: undefined,
      tools: new Map(),
      above: under(span, parent?.above ?? ROOT_CONTEXT),
    };
    this.#open.set(id, open);
    return open;
  }
}

function under(span: Span | undefined, otherwise: Context): Context {
  return span ? trace.setSpan(ROOT_CONTEXT, span) : otherwise;
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
