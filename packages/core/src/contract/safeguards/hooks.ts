import type { EventDraftOfKind, EventOfKind } from '../../events/index.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { StoredHooks } from '../state/hook-config.ts';
import type { ToolSecrets } from './secret-vault.ts';

/** The moment that hooks are called for, with its details. */
export interface HookOccasion {
  readonly type: EventOfKind<'HookExecutionEvent'>['hook_event_type'];
  /** PreToolUse, PostToolUse. */
  readonly toolName?: string;
  readonly toolInput?: JsonObject;
  readonly actionId?: string;
  /** PostToolUse: the observation, or the error that the model reads. */
  readonly toolResponse?: JsonObject;
  /** UserPromptSubmit: the text of the message. Stop: the text of the answer. */
  readonly message?: string;
  readonly messageId?: string;
  /** Stop: true if a hook has already sent back the last answer. */
  readonly stopHookActive?: boolean;
}

/** The combined outcome of the hooks of one occasion. */
export interface HookOutcome {
  /** Events to store, one for each hook that ran, in order. */
  readonly events: readonly EventDraftOfKind<'HookExecutionEvent'>[];
  /** True if a hook denied; the hooks after it did not run. Has no effect for SessionStart, PostToolUse and SessionEnd. */
  readonly blocked: boolean;
  /** The reason, in the hook's words. */
  readonly reason: string | undefined;
  /** Text for the model. */
  readonly additionalContext: string | undefined;
}

/** A question to a model, asked outside of the conversation. */
export interface Consultation {
  /** Trusted instructions for the model. */
  readonly instructions: string;
  /** Untrusted material, whatever its author. */
  readonly question: string;
  /** The name under which its cost is counted. */
  readonly usageId: string;
}

/** The conversation that hooks run in. */
export interface HookSession {
  readonly conversationId: string;
  /** Absolute. */
  readonly workingDirectory: string;
  /** The folder with long output of tools; absent when the store has none. */
  readonly sideDirectory?: string;
  /** Masks the input and the output of hooks, and gives a command the secrets that it names. */
  readonly secrets?: ToolSecrets;
  /** Asks the agent's model, without its tools and its history. Rejects as the model does, or with `signal.reason`. Absent without a model. */
  readonly ask?: (question: Consultation, signal: AbortSignal) => Promise<string>;
  /** Called when an asynchronous hook has ended. Must not throw. */
  readonly onAsyncEnd: (event: EventDraftOfKind<'HookExecutionEvent'>) => void;
}

/** Runs the hooks of one conversation. */
export interface HookRunner {
  /** True if a hook is set for this moment; nothing is stored for a moment without hooks. */
  handles(occasion: Pick<HookOccasion, 'type' | 'toolName'>): boolean;
  /**
   * Runs the hooks of the moment, in order, up to the first that blocks. Rejects only with `signal.reason`; then the hooks that
   * ran have been ended.
   */
  run(occasion: HookOccasion, signal: AbortSignal): Promise<HookOutcome>;
  /** Ends asynchronous hooks. Idempotent. */
  close(): Promise<void>;
}

/** Hooks as they are configured. Immutable; used by any number of conversations. */
export interface Hooks {
  /** The configuration to store. */
  readonly config: StoredHooks;
  /** Starts the hooks in one conversation. */
  start(session: HookSession): HookRunner;
}
