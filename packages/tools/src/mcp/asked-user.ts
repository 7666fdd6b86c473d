import { isJsonObject } from '@conv/core/platform';
import type { JsonObject, Tool, ToolContext, ToolSession } from '@conv/core/tool';
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from '@modelcontextprotocol/client';

import type { CallTime } from './call-time.ts';

type Asked = ElicitRequestFormParams | ElicitRequestURLParams;

/** A call that runs at a server; `end` it once. */
export interface RunningCall {
  readonly context: ToolContext;
  readonly time: CallTime;
  /** The number of questions that it has asked. */
  questions: number;
  readonly end: () => void;
}

/** A server's way to ask the user: by the conversation's tool `ask_user`, as a call beside the server's call. */
export class AskedUser {
  readonly #server: string;
  readonly #tool: Tool;
  readonly #running: RunningCall[] = [];

  constructor(server: string, tool: Tool) {
    this.#server = server;
    this.#tool = tool;
  }

  begin(context: ToolContext, time: CallTime): RunningCall {
    const end = (): void => void this.#running.splice(this.#running.indexOf(call), 1);
    const call: RunningCall = { context, time, questions: 0, end };
    this.#running.push(call);
    return call;
  }

  /**
   * Asks for the newest call that runs, because a request of a process does not say which call it is for. Without a call it is
   * cancelled. Rejects with the reason of `signal` or of the call's signal.
   */
  async ask(asked: Asked, signal: AbortSignal): Promise<ElicitResult> {
    const call = this.#running.at(-1);
    return call ? this.askFor(call, asked, signal) : { action: 'cancel' };
  }

  /** Asks for a call. Rejects with the reason of `signal` or of the call's signal. */
  async askFor(call: RunningCall, asked: Asked, signal: AbortSignal): Promise<ElicitResult> {
    const { context, time } = call;
    call.questions += 1;
    const asking = {
      ...context,
      toolCallId: `${context.toolCallId}_ask_${call.questions}`,
      signal: AbortSignal.any([context.signal, signal]),
    };
    const { content } = await time.during(() => this.#tool.execute(this.#tool.parse(this.#question(asked)), asking));
    const [answer] = content;
    return toResult(answer && 'text' in answer ? answer.text : '');
  }

  #question(asked: Asked): JsonObject {
    const about = { question: asked.message, from: this.#server };
    if (asked.mode === 'url') return { ...about, url: asked.url };
    return { ...about, fields: asked.requestedSchema as unknown as JsonObject };
  }
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
