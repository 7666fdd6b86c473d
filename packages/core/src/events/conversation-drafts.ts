import { textContent } from './content.ts';
import type { ErrorClassification } from './common-fields.ts';
import type { EventDraftOfKind, EventKind } from './event.ts';
import type { ToolDefinition } from './tool-definition.ts';

type OwnFields<Kind extends EventKind> = Omit<EventDraftOfKind<Kind>, 'source' | 'kind'>;

/** The system prompt, the tools and, if not empty, the text of this conversation alone. */
export function systemPrompt(
  prompt: string,
  tools: readonly ToolDefinition[],
  dynamicContext = '',
): EventDraftOfKind<'SystemPromptEvent'> {
  return {
    source: 'agent',
    system_prompt: textContent(prompt),
    tools,
    ...(dynamicContext === '' ? {} : { dynamic_context: textContent(dynamicContext) }),
    kind: 'SystemPromptEvent',
  };
}

/** The run stops after the current step. */
export function pause(): EventDraftOfKind<'PauseEvent'> {
  return { source: 'user', kind: 'PauseEvent' };
}

/** The running call was cancelled. */
export function interrupt(): EventDraftOfKind<'InterruptEvent'> {
  return { source: 'user', kind: 'InterruptEvent' };
}

/** A failure of the whole conversation; `classifyError` of `@conv/openhands/messages` classifies it by the protocol's rules. */
export function conversationError(
  code: string,
  detail: string,
  classification: ErrorClassification,
): EventDraftOfKind<'ConversationErrorEvent'> {
  return { source: 'environment', code, detail, classification, kind: 'ConversationErrorEvent' };
}

/** Takes events out of the view. */
export function condensation(fields: OwnFields<'Condensation'>): EventDraftOfKind<'Condensation'> {
  return { source: 'environment', forgotten_event_ids: [], ...fields, kind: 'Condensation' };
}

/** Asks the agent to condense at its next step. */
export function condensationRequest(): EventDraftOfKind<'CondensationRequest'> {
  return { source: 'environment', kind: 'CondensationRequest' };
}

/** The run of a hook. */
export function hookExecution(fields: OwnFields<'HookExecutionEvent'>): EventDraftOfKind<'HookExecutionEvent'> {
  return { source: 'hook', blocked: false, stdout: '', stderr: '', ...fields, kind: 'HookExecutionEvent' };
}
