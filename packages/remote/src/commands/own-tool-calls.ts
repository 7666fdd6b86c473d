import { type CallAnswer, errorText, isConversationError } from '@conv/core';
import type { ActionEvent, JsonObject } from '@conv/core/events';
import type { Tool, ToolContext } from '@conv/core/tool';
import { Turns, warn, type Timer } from '@conv/core/platform';

import type { ConversationLink } from './conversation-link.ts';

export type SendAnswer = (actionId: string, answer: CallAnswer) => Promise<void>;

/** Milliseconds between polls for the start of approved calls. */
const ASKING = 200;

const UNKNOWN =
  'The program that executed this call has ended, so the outcome is unknown: the call may or may not have had its effect. Check before you repeat it.';

/**
 * Executes calls of the agent's own tools in this process, during runs that this object started. Starts each call once: a call that
 * had started before the run gets an unknown outcome, because another program may have executed it (P5).
 */
export class CallCarrier {
  readonly #link: ConversationLink;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #send: SendAnswer;
  readonly #begun = new Map<string, AbortController>();
  /** Tools that change something run one after the other. */
  readonly #turns = new Turns();
  #end: (() => void) | undefined;
  #asking: Timer | undefined;

  constructor(link: ConversationLink, tools: readonly Tool[], send: SendAnswer) {
    this.#link = link;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#send = send;
  }

  /** Called when a run begins. Resolves when each call that an earlier program had started has an unknown outcome as its result. */
  async begin(): Promise<void> {
    if (this.#tools.size === 0 || this.#end) return;
    const lost = this.#started().filter(({ id }) => !this.#begun.has(id));
    for (const { id } of lost) {
      this.#begun.set(id, new AbortController());
      await this.#answer(id, { content: UNKNOWN, isError: true });
    }
    const look = (): void => this.#look();
    const following = this.#link.state.subscribe({ onEvent: look, onStateChange: look });
    this.#end = () => following.unsubscribe();
    look();
  }

  /** Called when the run ends: starts no further call, and aborts calls in progress. */
  end(reason: Error): void {
    this.#end?.();
    this.#end = undefined;
    this.#asking?.cancel();
    this.#asking = undefined;
    for (const controller of this.#begun.values()) controller.abort(reason);
  }

  #started(): readonly ActionEvent[] {
    const { pendingActions, calls } = this.#link.state;
    return pendingActions.filter(({ id, tool_name: name }) => calls[id] === 'started' && this.#tools.has(name));
  }

  #look(): void {
    const started = this.#started();
    for (const [id, controller] of this.#begun)
      if (!started.some((action) => action.id === id)) controller.abort(new Error('the call has ended'));
    for (const action of started) {
      const tool = this.#tools.get(action.tool_name);
      if (!tool || this.#begun.has(action.id)) continue;
      const controller = new AbortController();
      this.#begun.set(action.id, controller);
      const carried = (): Promise<void> => this.#execute(tool, action, controller.signal);
      if (tool.annotations.readOnly === true) void carried();
      else void this.#turns.run(carried);
    }
    this.#askAgain();
  }

  /** Polls for the start of approved calls: it is in a commit without events, which no socket announces. */
  #askAgain(): void {
    const { pendingActions, calls } = this.#link.state;
    const awaits = pendingActions.some(({ id, tool_name: name }) => calls[id] !== 'started' && this.#tools.has(name));
    if (!awaits || !this.#end || this.#asking) return;
    const ask = async (): Promise<void> => {
      await this.#link.follower.sync().catch(() => undefined);
      this.#asking = undefined;
      if (this.#end) this.#look();
    };
    this.#asking = this.#link.api.client.platform.setTimer(ASKING, () => void ask(), { background: true });
  }

  async #execute(tool: Tool, action: ActionEvent, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { state, api } = this.#link;
    const context = { signal, conversationId: api.id, workingDirectory: state.workspace.workingDir };
    const answer = await resultOf(tool, action, context);
    if (!signal.aborted) await this.#answer(action.id, answer);
  }

  /**
   * Answers a call. It is no failure if the call has ended meanwhile, by its time limit or an interruption. Any other failure becomes a
   * `CallWarning` and shows in the run.
   */
  async #answer(actionId: string, answer: CallAnswer): Promise<void> {
    try {
      await this.#send(actionId, answer);
    } catch (error) {
      if (isConversationError(error, 'UNKNOWN_ACTION') || isConversationError(error, 'CLOSED')) return;
      warn(error, 'CallWarning');
    }
  }
}

/** Executes the tool and returns the result for the model; a failure becomes an error result. */
async function resultOf(
  tool: Tool,
  action: ActionEvent,
  context: Omit<ToolContext, 'toolCallId'>,
): Promise<CallAnswer> {
  try {
    const { kind: _, ...input } = action.action as unknown as JsonObject;
    const { content, isError = false } = await tool.execute(tool.parse(input), {
      ...context,
      toolCallId: action.tool_call_id,
    });
    return { content: content.length === 0 ? '' : content, isError };
  } catch (error) {
    return { content: errorText(error), isError: true };
  }
}
