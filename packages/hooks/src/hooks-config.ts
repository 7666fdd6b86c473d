import type { HOOK_MEMBERS, JsonObject, HookOccasion } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { Sandbox } from '@conv/core/tool';

/** The effect of a hook that failed to decide: it crashed, took too long or gave an answer that cannot be understood. */
export type FailurePolicy = 'allow' | 'deny';

/** The input of a hook, secrets masked: JSON on the standard input of a command, the argument of a function. */
export interface HookInput {
  readonly event_type: HookOccasion['type'];
  /** PreToolUse, PostToolUse. */
  readonly tool_name: string | null;
  readonly tool_input: JsonObject | null;
  /** PostToolUse. */
  readonly tool_response: JsonObject | null;
  /** The text of the message (UserPromptSubmit) or of the answer (Stop). */
  readonly message: string | null;
  readonly session_id: string;
  readonly working_dir: string;
  /** `action_id` and `message_id`, if there are any; for Stop also `reason` and `stop_hook_active`. */
  readonly metadata: JsonObject;
}

/** The answer of a function hook; a command may print it as JSON. */
export interface HookAnswer {
  /** Absent means `allow`. */
  readonly decision?: 'allow' | 'deny';
  readonly reason?: string;
  /** Text for the model, whatever the decision. */
  readonly additionalContext?: string;
}

/**
 * A hook in this process. `undefined` allows; an exception, a rejection and an answer after the deadline are failures.
 * `signal` aborts at the deadline, at an interrupt and, for asynchronous hooks, at the end of the conversation.
 */
export type HookFunction = (
  input: HookInput,
  options: { readonly signal: AbortSignal },
) => HookAnswer | undefined | void | Promise<HookAnswer | undefined | void>;

/** Settings that every hook may have. */
export interface HookSettings {
  /** Whole seconds from 1, after which the hook is ended. Default 60. */
  readonly timeout?: number;
  /** True if the hook is not waited for, and cannot block. Ended at its timeout or with the conversation. */
  readonly async?: boolean;
  /** The policy for failures of the hook. Default: the policy of the configuration. */
  readonly onError?: FailurePolicy;
}

/** A command for `/bin/sh`, run in the workspace. */
export interface CommandHook extends HookSettings {
  readonly type?: 'command';
  readonly command: string;
  readonly name?: string;
}

/** A function of the program. Stored by its name, under which it has to be given again on resume. */
export interface FunctionHook extends HookSettings {
  readonly type: 'function';
  readonly name: string;
  /** May be left out when {@link HooksOptions.functions} has one of that name. */
  readonly run?: HookFunction;
}

/** A policy in words: the agent's model reads it with the event, and allows or denies. */
export interface PromptHook extends HookSettings {
  readonly type: 'prompt';
  /** The policy. The content of the event is given to the model as data, whose instructions it must not follow. */
  readonly prompt: string;
  readonly name?: string;
}

/** Hooks of one moment, and the tools that they are for. */
export interface HookMatcher {
  /**
   * The tools: `*` or an empty text for all, a name, `/expression/`, or a text that has characters of a regular expression; an
   * expression has to match the whole name. Looked at for PreToolUse and PostToolUse only. Default `*`.
   */
  readonly matcher?: string;
  readonly hooks: readonly (CommandHook | FunctionHook | PromptHook)[];
}

/** The name of a moment: as in code, as in stored configurations, as in events. */
export type HookEventKey =
  | Uncapitalize<HookOccasion['type']>
  | (typeof HOOK_MEMBERS)[HookOccasion['type']]
  | HookOccasion['type'];

/** Hooks by the moment at which they run, each moment under one of its names. */
export interface HooksConfig extends Readonly<Partial<Record<HookEventKey, readonly HookMatcher[]>>> {
  /** The policy of hooks that set none. Default: {@link HooksOptions.onError}. */
  readonly onError?: FailurePolicy;
}

/** Settings that a configuration does not hold. */
export interface HooksOptions {
  /** The functions that a configuration may name. */
  readonly functions?: Readonly<Record<string, HookFunction>>;
  /** Variables of this process that commands get beside the usual ones (see the README). Default none. */
  readonly environment?: readonly string[];
  /**
   * The policy of configurations that set none. Default: a hook before a tool call that is missing, dies, takes too long or
   * answers nonsense denies; every other failure allows, as exit code 1 does in OpenHands.
   */
  readonly onError?: FailurePolicy;
  /**
   * Confines all commands of these hooks, with the other programs of the conversation. Give it for every configuration that an agent
   * can write, such as a file of its workspace. A command whose sandbox cannot be had does not run, and has failed. Default: a
   * command has the rights of this process.
   */
  readonly sandbox?: Sandbox | undefined;
  /** Gives the time for deadlines. Default: the platform of the host. */
  readonly platform?: Platform | undefined;
}
