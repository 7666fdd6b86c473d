import { drafts, type EventDraftOfKind } from '@conv/core/events';
import type { HookOccasion, Masker } from '@conv/core';
import { cutText } from './bounded-text.ts';
import type { Hook } from './hook.ts';
import { canBlock } from './hook-events.ts';
import { loggedInput } from './hook-input.ts';
import type { HookInput } from './hooks-config.ts';
import { maskBeginning, maskOrHide } from './mask.ts';
import type { Verdict } from './verdict.ts';

/** The most characters of each output and of the text for the model. */
const TEXT_LIMIT = 50_000;
const LABEL_LIMIT = 10_000;

/** The raw outcome of a hook, before masking. */
export interface Finding {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly verdict: Verdict;
  /** The reason why the hook did not do its work. */
  readonly failure?: string;
  /** True if the hook ended with an exit code that only reports an error; OpenHands does not count it as an answer. */
  readonly isOrdinary?: boolean;
  /** True if the hook was ended by its deadline, an interrupt or the end of the conversation. */
  readonly stopped?: boolean;
  /** A note for people that does not make the hook fail. */
  readonly notice?: string;
  /** The input of the hook; absent if it could not be given any. */
  readonly input?: HookInput;
}

/** The result of the hook; every text masked and bounded. */
export interface HookResult {
  readonly blocked: boolean;
  /** The reason of a denial, even for an event that cannot be stopped. */
  readonly reason: string | undefined;
  readonly additionalContext: string | undefined;
  readonly event: EventDraftOfKind<'HookExecutionEvent'>;
}

/** Decides what a finding means and writes it down. */
export function hookResult(
  hook: Hook,
  occasion: HookOccasion,
  finding: Finding,
  masker: Masker | undefined,
): HookResult {
  const { verdict } = finding;
  const denied = finding.exitCode === 2 || verdict.denied;
  const failure = finding.failure ?? (denied ? undefined : verdict.problem);
  const stops = denied || (failure !== undefined && deniesFailure(hook, occasion, finding));
  const blocked = stops && !hook.background && canBlock(occasion.type);
  const show = (text: string, limit: number): string => cutText(maskOrHide(text, masker), limit);
  const said = verdict.reason ?? (stops ? reasonFor(hook, finding, denied, failure) : undefined);
  const reason = said === undefined ? undefined : show(said, LABEL_LIMIT);
  const context = verdict.context === undefined ? undefined : show(verdict.context, TEXT_LIMIT);
  const error = failure ?? finding.notice;
  return {
    blocked,
    reason: stops ? reason : undefined,
    additionalContext: context,
    event: drafts.hookExecution({
      hook_event_type: occasion.type,
      hook_command: show(hook.label, LABEL_LIMIT),
      tool_name: occasion.toolName ?? null,
      // on the wire, a command that blocks by its exit code counts as not successful
      success: failure === undefined && finding.exitCode !== 2,
      blocked,
      exit_code: finding.exitCode,
      stdout: cutText(maskBeginning(finding.stdout, masker), TEXT_LIMIT),
      stderr: cutText(maskBeginning(finding.stderr, masker), TEXT_LIMIT),
      reason: reason ?? null,
      additional_context: context ?? null,
      error: error === undefined ? null : show(error, LABEL_LIMIT),
      action_id: occasion.actionId ?? null,
      message_id: occasion.messageId ?? null,
      hook_input: finding.input ? loggedInput(finding.input) : null,
    }),
  };
}

/** True if a failure denies: before a tool call, a hook that is missing, died, hung or answered nonsense has not allowed the call. */
function deniesFailure({ onError }: Hook, { type }: HookOccasion, { isOrdinary = false }: Finding): boolean {
  return onError === undefined ? type === 'PreToolUse' && !isOrdinary : onError === 'deny';
}

function reasonFor(hook: Hook, finding: Finding, denied: boolean, failure: string | undefined): string {
  if (!denied) return `The hook ${hook.label} failed: ${failure}`;
  // a shell that its sandbox refuses a process ends with 2, by which hooks deny
  if (finding.exitCode === 2 && finding.failure !== undefined) return finding.failure;
  return finding.stderr.trim() || `Blocked by the hook ${hook.label}`;
}
