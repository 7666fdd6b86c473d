import type {
  ContentBlock,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { abortable, type StepContext } from '@conv/core';
import type { EventDraft } from '@conv/core/events';
import { timers, type Platform } from '@conv/core/platform';

import { AcpAgentError } from './acp-agent-error.ts';
import type { MaskText } from './bounded.ts';
import { answerOf, type Question } from './permissions.ts';
import { ToolCalls } from './tool-calls.ts';

/** The end of a turn: the program's answer to the prompt, or the reason why there is none. */
export type TurnEnd = { readonly response: PromptResponse } | { readonly error: unknown };

/** The cost that a program reports: of the whole session, in US dollars, and the size of its context. */
export interface ReportedCost {
  readonly total: number | undefined;
  readonly contextWindow: number;
}

/**
 * A turn of a program: all that the program says and does between a prompt and its answer. It goes on while a question for permission waits, and no
 * step reads it then. Several steps read it one after the other.
 */
export class Turn {
  readonly id: string;
  /** The id of the newest event that its prompt was made of. */
  readonly prompted: string;
  readonly calls: ToolCalls;
  /** Milliseconds on the clock that never falls. */
  readonly began: number;
  readonly #platform: Platform;
  readonly #questions: Question[] = [];
  readonly #asked = new Map<string, Question>();
  #drafts: EventDraft[] = [];
  #text = '';
  #thoughts = '';
  #gap = false;
  /** The first reaction of the program to the prompt: it did not come yet, it came, or the log says that it came. */
  #reaction: 'none' | 'heard' | 'noted' = 'none';
  #cost: ReportedCost = { total: undefined, contextWindow: 0 };
  #end: TurnEnd | undefined;
  #show: StepContext['onToken'];
  #news = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<void>();

  constructor(platform: Platform, mask: MaskText, prompted: string) {
    this.#platform = platform;
    this.prompted = prompted;
    this.id = platform.id();
    this.began = platform.monotonic();
    this.calls = new ToolCalls(mask);
  }

  /** True if the program has reacted to the prompt, and the log does not say so yet. */
  get isToBeNoted(): boolean {
    return this.#reaction === 'heard';
  }

  /** True if questions for permission stand in no event yet. */
  get hasQuestions(): boolean {
    return this.#questions.length > 0;
  }

  get end(): TurnEnd | undefined {
    return this.#end;
  }

  get cost(): ReportedCost {
    return this.#cost;
  }

  /** Resolves when the turn has ended. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Shows the pieces of text to the listener of a step from now on. */
  show(onToken: StepContext['onToken']): void {
    this.#show = onToken;
  }

  /** Takes an update of the session. */
  update(update: SessionUpdate): void {
    const { sessionUpdate: kind } = update;
    if (kind === 'agent_message_chunk') this.#say('text', textOf(update.content));
    else if (kind === 'agent_thought_chunk') this.#say('reasoning', textOf(update.content));
    else if (kind === 'tool_call' || kind === 'tool_call_update') {
      this.#told(this.calls.update(update));
    } else if (kind === 'usage_update') {
      const { cost, size: contextWindow } = update;
      this.#cost = { total: cost?.currency === 'USD' ? cost.amount : this.#cost.total, contextWindow };
    }
    // plans, commands and names of the session have no event here
    this.#tell();
  }

  /** Takes a question for permission. Resolves with its answer. */
  ask(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>();
    // a question may be the first, and the only, place where the program tells what the call does
    this.#told(this.calls.ask(request.toolCall));
    this.#questions.push({ id: `call_${this.#platform.id()}`, request, answer: resolve });
    this.#tell();
    return promise;
  }

  /** Ends the turn. Questions that wait are cancelled. */
  finish(end: TurnEnd): void {
    this.#end ??= end;
    if ('response' in end) this.#hear();
    this.refuse('cancel');
    this.#over.resolve();
    this.#wake();
  }

  /**
   * Resolves when there is something to store or to decide, and with the first reaction of the program. Rejects `SILENT` when the program does nothing for `limit` milliseconds, and
   * with `signal.reason`.
   */
  async wait(limit: number, signal: AbortSignal): Promise<void> {
    const isDue = (): boolean => this.#drafts.length > 0 || this.hasQuestions || this.isToBeNoted;
    while (!isDue() && !this.#end) {
      const told = await abortable(timers.settlesWithin(this.#platform, limit, this.#news.promise), signal);
      if (!told) {
        const text = `the program did nothing for ${limit} ms in its turn, which is promptTimeout: run the conversation again, or allow more time`;
        throw new AcpAgentError('SILENT', text);
      }
    }
  }

  /** Learns that the log says that the program was given the prompt. */
  noted(): void {
    this.#reaction = 'noted';
  }

  /** Takes the events that are due. */
  takeDrafts(): readonly EventDraft[] {
    const due = this.#drafts;
    this.#drafts = [];
    return due;
  }

  /** Takes the questions that stand in no event yet. They wait for {@link Turn.answer} from now on. */
  takeQuestions(): readonly Question[] {
    const due = this.#questions.splice(0);
    for (const question of due) this.#asked.set(question.id, question);
    return due;
  }

  /** Takes what was said since this was called last. */
  takeSaid(): { readonly text: string; readonly thoughts: string } {
    const said = { text: this.#text.trim(), thoughts: this.#thoughts.trim() };
    this.#text = this.#thoughts = '';
    this.#gap = false;
    return said;
  }

  /** Allows what a question asks for. Returns the name of the chosen option; `undefined` when the question does not wait. */
  allow(id: string): string | undefined {
    const question = this.#asked.get(id);
    if (!question) return undefined;
    this.#asked.delete(id);
    const response = answerOf(question.request, 'allow');
    question.answer(response);
    const { outcome } = response;
    return outcome.outcome === 'selected'
      ? (question.request.options.find(({ optionId }) => optionId === outcome.optionId)?.name ?? outcome.optionId)
      : 'nothing, because the program offers no way to allow it';
  }

  /** Answers the questions that still wait. Returns true if there was one. */
  refuse(decision: 'reject' | 'cancel'): boolean {
    const waiting = [...this.#asked.values(), ...(decision === 'cancel' ? this.#questions.splice(0) : [])];
    this.#asked.clear();
    for (const { request, answer } of waiting) answer(answerOf(request, decision));
    return waiting.length > 0;
  }

  /** Keeps the event of a call, behind which text begins a new paragraph. */
  #told(draft: EventDraft | undefined): void {
    if (draft) this.#drafts.push(draft);
    this.#gap = true;
  }

  #say(kind: 'text' | 'reasoning', text: string): void {
    if (text === '') return;
    const isText = kind === 'text';
    const gap = isText && this.#gap && this.#text !== '' ? '\n\n' : '';
    if (isText) {
      this.#text += gap + text;
      this.#gap = false;
    } else this.#thoughts += text;
    this.#show?.({ kind, text: gap + text, attempt: 1 });
  }

  #tell(): void {
    this.#hear();
    this.#wake();
  }

  #hear(): void {
    if (this.#reaction === 'none') this.#reaction = 'heard';
  }

  #wake(): void {
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers<void>();
    resolve();
  }
}

function textOf(content: ContentBlock): string {
  if (content.type === 'text') return content.text;
  return content.type === 'resource_link' ? `[${content.name}](${content.uri})` : `[${content.type}]`;
}
