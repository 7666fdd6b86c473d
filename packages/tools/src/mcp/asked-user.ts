import { SECRET_MASK } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { JsonObject, Tool, ToolContext, ToolSession } from '@conv/core/tool';
import type { CallToolResult, ElicitResult } from '@modelcontextprotocol/client';

import type { CallTime } from './call-time.ts';
import { checkCount, checkQuestion, type Asked } from './server-questions.ts';

/** The questions of a call in this process, over all its connections and streams. */
export interface QuestionCount {
  /** The number of questions that it has asked. */
  asked: number;
  /** The numbers of the questions without an answer, by their words. */
  readonly open: Map<string, number>;
}

/** A call that runs at a server; `end` it once. */
export interface RunningCall {
  readonly context: ToolContext;
  readonly time: CallTime;
  /** The number of questions that it has asked. A call that goes on asks the same questions with the same numbers again. */
  questions: number;
  readonly count: QuestionCount;
  /** Questions without an answer whose stream has ended: a server that sends one of them again does not ask another one. */
  left: Map<string, number>;
  /** Sentences for the model about answers that the server did not get. */
  readonly notes: string[];
  readonly end: () => void;
}

const HIDDEN = `An answer of the user held ${SECRET_MASK}, which only replaces a hidden value, so the server was told that the user cancelled.`;

/** A server's way to ask the user: by the conversation's tool `ask_user`, as a call beside the server's call. */
export class AskedUser {
  readonly #server: string;
  readonly #tool: Tool;
  readonly #hide: (text: string) => string;
  readonly #running: RunningCall[] = [];

  /** @param hide - Returns a text of the server without what people must not read. */
  constructor(server: string, tool: Tool, hide: (text: string) => string = (text) => text) {
    this.#server = server;
    this.#tool = tool;
    this.#hide = hide;
  }

  /** Begins a call, which `count` has counted before on another connection. */
  begin(context: ToolContext, time: CallTime, count: QuestionCount = noQuestions()): RunningCall {
    const end = (): void => void this.#running.splice(this.#running.indexOf(call), 1);
    const call: RunningCall = { context, time, questions: 0, count, left: new Map(count.open), notes: [], end };
    this.#running.push(call);
    return call;
  }

  /**
   * Asks for an unknown call, because a request of a process does not say which call it is for. The question stands beside the
   * newest call that runs, and beside another one if that call ends without the answer. The time of no call runs meanwhile. Without
   * a call it is cancelled. Rejects with the reason of `signal` or of the call's signal.
   */
  async ask(asked: Asked, signal: AbortSignal): Promise<ElicitResult> {
    let reason: unknown;
    for (;;) {
      const running = this.#running.filter(({ context }) => !context.signal.aborted);
      const call = running.at(-1);
      if (!call && reason !== undefined) throw reason;
      if (!call) return { action: 'cancel' };
      try {
        const answer = await this.#besides(running, call, asked, signal);
        if (answer) return answer;
        if (this.#running.includes(call)) return { action: 'cancel' };
      } catch (error) {
        if (signal.aborted || !call.context.signal.aborted) throw error;
        reason = error;
      }
    }
  }

  /** Asks for one of these calls while the time of none runs. */
  #besides(
    running: readonly RunningCall[],
    call: RunningCall,
    asked: Asked,
    signal: AbortSignal,
  ): Promise<ElicitResult | undefined> {
    const ask = (): Promise<ElicitResult | undefined> => this.#answer(call, asked, signal);
    const others = running.filter((other) => other !== call);
    return others.reduce(
      (inner, { time }) =>
        () =>
          time.during(inner),
      ask,
    )();
  }

  /** Asks for a call. Rejects with the reason of `signal` or of the call's signal, and `ProtocolError` for too much. */
  async askFor(call: RunningCall, asked: Asked, signal: AbortSignal): Promise<ElicitResult> {
    return (await this.#answer(call, asked, signal)) ?? { action: 'cancel' };
  }

  /** Resolves with the user's answer; `undefined` if the question was withdrawn. */
  async #answer(call: RunningCall, asked: Asked, signal: AbortSignal): Promise<ElicitResult | undefined> {
    checkQuestion(asked);
    const { context, time, count, left } = call;
    const question = this.#question(asked);
    const words = JSON.stringify(question);
    const again = left.get(words);
    left.delete(words);
    if (again === undefined) checkCount((count.asked += 1));
    const number = again ?? (call.questions += 1);
    count.open.set(words, number);
    const asking = {
      ...context,
      toolCallId: `${context.toolCallId}_ask_${number}`,
      signal: AbortSignal.any([context.signal, signal]),
    };
    const { content, isError } = await time.during(() => this.#tool.execute(this.#tool.parse(question), asking));
    count.open.delete(words);
    if (isError === true) return undefined;
    const [answer] = content;
    const result = toResult(answer && 'text' in answer ? answer.text : '');
    if (result.action !== 'accept' || !JSON.stringify(result.content ?? {}).includes(SECRET_MASK)) return result;
    call.notes.push(HIDDEN);
    return { action: 'cancel' };
  }

  #question(asked: Asked): JsonObject {
    const about = { question: this.#hide(asked.message), from: this.#server };
    if (asked.mode === 'url') return { ...about, url: this.#hide(asked.url) };
    return { ...about, fields: JSON.parse(this.#hide(JSON.stringify(asked.requestedSchema))) as JsonObject };
  }
}

/** Returns the count of a call that has asked nothing yet. */
export function noQuestions(): QuestionCount {
  return { asked: 0, open: new Map() };
}

/** Says that the stream in which a call asks begins anew. */
export function beginStream(call: RunningCall): void {
  call.left = new Map(call.count.open);
}

/** Returns the result of a call with the notes for the model. */
export function withNotes(result: CallToolResult, { notes }: Pick<RunningCall, 'notes'>): CallToolResult {
  return notes.length === 0
    ? result
    : { ...result, content: [...result.content, ...notes.map((text) => ({ type: 'text' as const, text }))] };
}

/** Returns the conversation's tool that asks the user; `undefined` if it has none, or another tool of that name. */
export function askingTool({ ownTools = [] }: ToolSession): Tool | undefined {
  return ownTools.find(({ name, inputSchema: { properties } }) => {
    return name === 'ask_user' && isJsonObject(properties) && 'fields' in properties && 'url' in properties;
  });
}

function toResult(json: string): ElicitResult {
  let answer: unknown;
  try {
    answer = JSON.parse(json);
  } catch {
    return { action: 'cancel' };
  }
  if (!isJsonObject(answer)) return { action: 'cancel' };
  const { action, content } = answer;
  if (action === 'decline') return { action };
  if (action !== 'accept') return { action: 'cancel' };
  return { action, ...(isJsonObject(content) ? { content: content as NonNullable<ElicitResult['content']> } : {}) };
}
