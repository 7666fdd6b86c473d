import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { requestedPolicySchema } from '../../descriptions/confirmation-policy.ts';
import { llmDescriptionSchema } from '../../descriptions/llm.ts';
import { secretSourceSchema } from '../../descriptions/secret-source.ts';
import { requestedAnalyzerSchema } from '../../descriptions/security-analyzer.ts';
import { boolean, integer, jsonObject, keptAs, orNull, requestAs, uuid } from '../../schema/index.ts';
import { messageContentSchema } from './send-message.ts';
import { tagsSchema } from './tags.ts';

/** Reason of a rejection that gives none. */
const DEFAULT_REJECTION_REASON = 'User rejected the action.';

const NO_TITLE = 'Input should be a title that is not blank';

/** True unless the title consists of blanks. An empty title is another matter. */
function isTitle(title: string): boolean {
  return title === '' || title.trim() !== '';
}

/** Changes of a PATCH: null and absent leave a value as it is, `tags` replaces all tags. */
export const updateConversationRequestSchema = requestAs('UpdateConversationRequest', {
  title: orNull(z.string().min(1).max(200).refine(isTitle, NO_TITLE)),
  tags: orNull(tagsSchema),
});

/** The schema of {@link ForkConversationRequest}; no body means all defaults. */
export const forkConversationRequestSchema = requestAs('ForkConversationRequest', {
  id: orNull(uuid),
  title: orNull(z.string().max(200).refine(isTitle, NO_TITLE)),
  tags: orNull(tagsSchema),
  reset_metrics: boolean().default(true),
  from_event_id: orNull(z.string()),
});

/** A copy of a conversation, up to an event or whole. */
export type ForkConversationRequest = z.output<typeof forkConversationRequestSchema>;

export const runConversationRequestSchema = requestAs('RunConversationRequest', {
  /** Limit of model responses in this run; null: as many as the conversation allows. OpenHands' server ignores it. */
  max_iterations: orNull(integer({ minimum: 1 })),
  /** False for a run that approves nothing: it does not begin while actions wait for a person. OpenHands' server ignores it. */
  approves: boolean().default(true),
  /**
   * The newest event, a message that the run is to answer: with another newest event the run is refused with 409. Null: the run answers what there is.
   * OpenHands' server ignores it.
   */
  answers: orNull(z.string()),
});

/** Which event comes before the next one; null: none. */
export const navigateRequestSchema = requestAs('NavigateConversationRequest', { event_id: orNull(z.string()) });

export const askAgentRequestSchema = requestAs('AskAgentRequest', { question: z.string() });

export const startGoalRequestSchema = requestAs('StartGoalRequest', {
  objective: z.string(),
  max_iterations: integer({ minimum: 1 }).default(10),
});

/** Secrets by name: a text is a value. */
export const updateSecretsRequestSchema = requestAs('UpdateSecretsRequest', {
  secrets: z.record(
    z.string(),
    z.preprocess(
      (source) => (typeof source === 'string' ? { kind: 'StaticSecret', value: source } : source),
      secretSourceSchema,
    ),
  ),
});

/** Which policy holds from now on. */
export const setConfirmationPolicyRequestSchema = requestAs('SetConfirmationPolicyRequest', {
  policy: requestedPolicySchema,
});

/** Analyzer that rates from now on; null: none. */
export const setSecurityAnalyzerRequestSchema = requestAs('SetSecurityAnalyzerRequest', {
  security_analyzer: requestedAnalyzerSchema,
});

/** The answer to a side question. */
export const askAgentResponseSchema = keptAs('AskAgentResponse', {
  response: z.string(),
  /** Cost of the answer as core's `CallRecord`; no state counts it. OpenHands' server does not send it. */
  record: z.exactOptional(jsonObject),
});

/** Final answer of the agent as a text. */
export const agentResponseSchema = keptAs('AgentResponseResult', { response: z.string() });

/** Approval or rejection of all pending actions. */
export const confirmationResponseRequestSchema = requestAs('ConfirmationResponseRequest', {
  accept: boolean(),
  reason: z.string().default(DEFAULT_REJECTION_REASON),
});

/** Which pending actions are approved; absent or null: all. */
export const approveRequestSchema = requestAs('ApproveRequest', {
  action_ids: orNull(z.array(z.string()).min(1)),
  /** Other arguments for some of these actions, by their ids; absent or null: none. */
  edits: orNull(z.record(z.string(), jsonObject)),
});

/** Which pending actions are rejected; absent or null: all. */
export const rejectRequestSchema = requestAs('RejectRequest', {
  action_ids: orNull(z.array(z.string()).min(1)),
  reason: z.string().default(DEFAULT_REJECTION_REASON),
});

/** Answer of a tool that runs at the client. */
export const answerCallRequestSchema = requestAs('AnswerCallRequest', {
  action_id: z.string(),
  content: messageContentSchema.default([]),
  is_error: boolean().default(false),
});

/** The schema of a request to switch to a stored model. */
export const switchProfileRequestSchema: z.ZodType<{ readonly profile_name: string }> = requestAs(
  'SwitchProfileRequest',
  { profile_name: z.string() },
);

/** The schema of a request to switch to a described model. */
export const switchLlmRequestSchema: z.ZodType<{ readonly llm: JsonObject }> = requestAs('SwitchLlmRequest', {
  llm: llmDescriptionSchema,
});

/** The schema of a request to switch an ACP agent's model. */
export const switchAcpModelRequestSchema: z.ZodType<{ readonly model: string }> = requestAs('SwitchAcpModelRequest', {
  model: z.string(),
});

export const loadPluginRequestSchema: z.ZodType<{ readonly plugin_ref: string }> = requestAs('LoadPluginRequest', {
  plugin_ref: z.string(),
});
