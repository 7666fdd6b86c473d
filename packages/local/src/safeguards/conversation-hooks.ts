import {
  abortable,
  isConversationError,
  type ConversationState,
  type HookOccasion,
  type HookOutcome,
  type HookRunner,
  type Hooks,
  type HookSession,
  type Transaction,
  truncateMiddle,
} from '@conv/core';
import { drafts, type EventDraftOfKind } from '@conv/core/events';

import { enqueue } from '../rules/message-queue.ts';

/** Maximum characters of a hook's message to the model. */
const MAX_CONTEXT = 50_000;

/** The `sender` of hooks' messages to the model. */
const HOOK_SENDER = 'hook';

/** The hooks of one conversation: runs them at the beginning and end of its session, and records their results. */
export class ConversationHooks {
  readonly #state: ConversationState;
  readonly #runner: HookRunner | undefined;
  #recording: Set<Promise<void>> | undefined;
  #begun = false;

  constructor(state: ConversationState, hooks: Hooks | undefined, session: Omit<HookSession, 'onAsyncEnd'>) {
    this.#state = state;
    this.#runner = hooks?.start({ ...session, onAsyncEnd: (event) => this.#record(event) });
  }

  /** True if a hook is set for this moment. */
  handles(type: HookOccasion['type'], toolName?: string): boolean {
    return this.#runner?.handles({ type, ...(toolName === undefined ? {} : { toolName }) }) ?? false;
  }

  /** Runs the hooks of a moment that is handled. Rejects with `signal.reason` as soon as that aborts. */
  async run(occasion: HookOccasion, signal: AbortSignal): Promise<HookOutcome> {
    const runner = this.#runner as HookRunner;
    return abortable(runner.run(occasion, signal), signal);
  }

  /** True if the first run since the opening is still to come. */
  get sessionBegins(): boolean {
    return !this.#begun;
  }

  /** Runs the `SessionStart` hooks before the first run. Happens once; an interrupted attempt does not count. */
  async beginSession(signal: AbortSignal): Promise<void> {
    if (this.handles('SessionStart')) {
      const outcome = await this.run({ type: 'SessionStart' }, signal);
      await this.#state.transaction(async (transaction) => {
        await appendHookEvents(transaction, outcome);
        await tellModel(transaction, outcome.additionalContext, this.#state);
      });
    }
    this.#begun = true;
  }

  /** Runs the `SessionEnd` hooks if the session has begun, and stops hooks that still run. */
  async endSession(): Promise<void> {
    const { lost } = this.#state;
    try {
      if (!this.#begun || lost.aborted || !this.handles('SessionEnd')) return;
      const outcome = await this.run({ type: 'SessionEnd' }, lost);
      await this.#state.transaction((transaction) => appendHookEvents(transaction, outcome));
    } catch (error) {
      // the session ends in the process that has taken the conversation over
      if (!lost.aborted) throw this.#state.mask.error(error);
    } finally {
      await this.#runner?.close();
      if (this.#recording) await Promise.all(this.#recording);
    }
  }

  #record(event: EventDraftOfKind<'HookExecutionEvent'>): void {
    const recorded = this.#state
      .transaction((transaction) => appendHookEvents(transaction, { events: [event] }))
      .catch((error: unknown) => {
        // a hook that ends after the conversation has no log for its event
        if (isConversationError(error, 'CLOSED') || this.#state.lost.aborted) return;
        const safe = this.#state.mask.error(error);
        process.emitWarning(safe instanceof Error ? safe : String(safe), 'HookWarning');
      })
      .finally(() => this.#recording?.delete(recorded));
    (this.#recording ??= new Set()).add(recorded);
  }
}

/** Appends the events of hooks. An event that is too large loses its input and output. */
export async function appendHookEvents(
  transaction: Transaction,
  { events }: Pick<HookOutcome, 'events'>,
): Promise<void> {
  for (const event of events) {
    try {
      await transaction.append(event);
    } catch (error) {
      if (!isConversationError(error, 'EVENT_TOO_LARGE')) throw error;
      const { hook_input: _input, additional_context: _context, ...rest } = event;
      await transaction.append({ ...rest, stdout: '', stderr: '', error: 'The output was too large to be kept.' });
    }
  }
}

/** Appends a hook's message to the model: at once, or after the open calls. */
export async function tellModel(
  transaction: Transaction,
  context: string | undefined,
  state: Pick<ConversationState, 'mask'>,
): Promise<void> {
  if (context === undefined || context.trim() === '') return;
  const message = drafts.environmentMessage(truncateMiddle(state.mask.text(context), MAX_CONTEXT), {
    sender: HOOK_SENDER,
  });
  if (transaction.openActions.length > 0) enqueue(transaction, message);
  else await transaction.append(message);
}
