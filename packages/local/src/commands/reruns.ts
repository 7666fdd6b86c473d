import { abortable, ConversationError, type AgentSession, type RerunResult } from '@conv/core';
import { drafts, isEvent, type EventDraft } from '@conv/core/events';

import type { CommandDeps } from './command-deps.ts';
import { executeCall } from '../calls/execute-call.ts';
import { leavesSandbox } from '../rules/leaves-sandbox.ts';
import { askBeforeCall, NO_REASON } from '../safeguards/tool-hooks.ts';

/** The reason why a command that a person allowed once is not rerun. */
const OUTSIDE = 'It ran outside of the sandbox, which a person allowed once. Ask for it in a run.';

/** Reruns the calls of the log. Nothing is held between two calls, so a run may begin, which ends the rerun. */
export class Reruns {
  readonly #deps: CommandDeps;
  readonly #started = new Set<AbortController>();
  #current: Promise<void> | undefined;

  constructor(deps: CommandDeps) {
    this.#deps = deps;
  }

  /** The call in progress; a run that begins meanwhile waits for it. */
  get current(): Promise<void> | undefined {
    return this.#current;
  }

  /** See {@link ConversationHistory.rerunActions}. */
  async *actions({ signal: given }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<RerunResult> {
    const controller = new AbortController();
    const signal = given ? AbortSignal.any([given, controller.signal]) : controller.signal;
    this.#started.add(controller);
    try {
      for (const id of await this.#alone(signal, () => this.#answered(signal))) {
        const again = await this.#alone(signal, () => this.#again(id, signal));
        yield again;
        if (again.failed) return;
      }
    } finally {
      this.#started.delete(controller);
    }
  }

  /** Cancels the call in progress and all calls after it; their callers get `reason`. */
  interrupt(reason: unknown): void {
    for (const controller of this.#started) controller.abort(reason);
  }

  async #alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { state, lifetime } = this.#deps;
    signal.throwIfAborted();
    lifetime.assertFree();
    if (this.#current)
      throw new ConversationError('BUSY', `a rerun of calls of conversation ${state.id} is in progress; wait for it`);
    const done = work();
    this.#current = done.then(ignore, ignore);
    try {
      return await done;
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : state.mask.error(error);
    } finally {
      this.#current = undefined;
    }
  }

  /** Returns the ids of the live branch's actions that have tool results, in the order of the calls. Nothing was rerun yet. */
  async #answered(signal: AbortSignal): Promise<readonly string[]> {
    const { state } = this.#deps;
    const session = await abortable(this.#deps.session.get(), signal);
    const here = new Set(session.tools.map(({ name }) => name));
    // client tools have no caller here that could execute these calls
    const callers = new Set(state.clientTools.map(({ name }) => name));
    const tools = new Map<string, string>();
    const answered = new Set<string>();
    for await (const event of state.events.walk(state.leafEventId)) {
      signal.throwIfAborted();
      if (isEvent(event, 'ActionEvent') && event.action && !callers.has(event.tool_name))
        tools.set(event.id, event.tool_name);
      else if (isEvent(event, 'ObservationEvent')) answered.add(event.action_id);
    }
    const again = [...tools].filter(([id]) => answered.has(id));
    const missing = again.find(([, name]) => !here.has(name));
    if (missing) throw unknownTool(missing[1], session);
    return again.map(([id]) => id);
  }

  async #again(id: string, signal: AbortSignal): Promise<RerunResult> {
    const { state, safeguards } = this.#deps;
    const { hooks } = safeguards;
    const action = await state.events.get(id);
    if (!action || !isEvent(action, 'ActionEvent'))
      throw new ConversationError('UNKNOWN_EVENT', `action ${id} is no longer in the log; rerun another`, {
        eventId: id,
      });
    const session = await abortable(this.#deps.session.get(), signal);
    let result: EventDraft | undefined;
    if (leavesSandbox(action)) result = drafts.userReject(action, OUTSIDE);
    else if (hooks.handles('PreToolUse', action.tool_name)) {
      const outcome = await askBeforeCall(state, hooks, action, signal);
      if (outcome.blocked) result = drafts.userReject(action, outcome.reason ?? NO_REASON, 'hook');
    }
    result ??= await executeCall(session, action, state, signal);
    return { action, result: state.mask.draft(result), failed: result.kind !== 'ObservationEvent' };
  }
}

function unknownTool(name: string, session: AgentSession): ConversationError {
  const names = session.tools.map((tool) => tool.name).join(', ');
  return new ConversationError('UNKNOWN_TOOL', `the agent has no tool ${JSON.stringify(name)}; it has ${names}`);
}

function ignore(): void {}
