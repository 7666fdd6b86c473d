import { z } from 'zod';
import type { ContentPart, JsonObject } from '@conv/core/events';
import { type KnownPolicy, knownPolicySchema } from '../../descriptions/confirmation-policy.ts';
import { type LlmDescription, llmDescriptionSchema } from '../../descriptions/llm.ts';
import { type SecretSource, secretSourceSchema } from '../../descriptions/secret-source.ts';
import { type KnownAnalyzer, knownAnalyzerSchema } from '../../descriptions/security-analyzer.ts';
import { named } from '../../schema/named.ts';
import { answer, orNull, request } from '../../schema/objects.ts';
import { boolean, integer, jsonObject } from '../../schema/scalars.ts';
import { uuid } from '../../schema/uuid.ts';
import { messageContentSchema } from './send-message.ts';
import { type Tags, tagsSchema } from './tags.ts';

/** What a PATCH changes: null and absent leave as it is, `tags` replaces all of them. */
export interface UpdateConversationRequest {
  readonly title: string | null;
  readonly tags: Tags | null;
}

/** A copy of a conversation, up to an event or whole. */
export interface ForkConversationRequest {
  readonly id: string | null;
  readonly title: string | null;
  readonly tags: Tags | null;
  readonly reset_metrics: boolean;
  readonly from_event_id: string | null;
}

/** How to run the agent. */
export interface RunConversationRequest {
  /** Model responses in this run; null: as many as the conversation allows. OpenHands' server takes no notice of it. */
  readonly max_iterations: number | null;
}

/** Which event comes before the next one; null: none. */
export interface NavigateRequest {
  readonly event_id: string | null;
}

/** A side question. */
export interface AskAgentRequest {
  readonly question: string;
}

/** A goal to work on. */
export interface StartGoalRequest {
  readonly objective: string;
  readonly max_iterations: number;
}

/** Secrets by name: a text is a value. */
export interface UpdateSecretsRequest {
  readonly secrets: Readonly<Record<string, SecretSource>>;
}

/** Which policy holds from now on. */
export interface SetConfirmationPolicyRequest {
  readonly policy: KnownPolicy;
}

/** Which analyzer rates from now on; null: none. */
export interface SetSecurityAnalyzerRequest {
  readonly security_analyzer: KnownAnalyzer | null;
}

/** What a text is answered with. */
export interface TextResponse {
  readonly response: string;
}

/** The answer to a side question. */
export interface AskAgentAnswer extends TextResponse {
  /** What it cost, as core's `CallRecord`: no state counts it. OpenHands' server does not say. */
  readonly record?: JsonObject;
}

/** An answer for everything that is pending. */
export interface ConfirmationResponseRequest {
  readonly accept: boolean;
  readonly reason: string;
}

/** Which pending actions are approved; absent or null: all. */
export interface ApproveRequest {
  readonly action_ids: readonly string[] | null;
}

/** Which pending actions are rejected; absent or null: all. */
export interface RejectRequest extends ApproveRequest {
  readonly reason: string;
}

/** What a tool that runs at the client answered. */
export interface AnswerCallRequest {
  readonly action_id: string;
  readonly content: readonly ContentPart[];
  readonly is_error: boolean;
}

/** What is rejected without saying why. */
const DEFAULT_REJECTION_REASON = 'User rejected the action.';

/** The schema of {@link UpdateConversationRequest}. */
export const updateConversationRequestSchema: z.ZodType<UpdateConversationRequest> = named(
  'UpdateConversationRequest',
  request({ title: orNull(z.string().min(1).max(200)), tags: orNull(tagsSchema) }),
);

/** The schema of {@link ForkConversationRequest}; no body means all defaults. */
export const forkConversationRequestSchema: z.ZodType<ForkConversationRequest> = named(
  'ForkConversationRequest',
  request({
    id: orNull(uuid),
    title: orNull(z.string().max(200)),
    tags: orNull(tagsSchema),
    reset_metrics: boolean().default(true),
    from_event_id: orNull(z.string()),
  }),
);

/** The schema of {@link RunConversationRequest}; no body means all defaults. */
export const runConversationRequestSchema: z.ZodType<RunConversationRequest> = named(
  'RunConversationRequest',
  request({ max_iterations: orNull(integer({ minimum: 1 })) }),
);

/** The schema of {@link NavigateRequest}. */
export const navigateRequestSchema: z.ZodType<NavigateRequest> = named(
  'NavigateConversationRequest',
  request({ event_id: orNull(z.string()) }),
);

/** The schema of {@link AskAgentRequest}. */
export const askAgentRequestSchema: z.ZodType<AskAgentRequest> = named(
  'AskAgentRequest',
  request({ question: z.string() }),
);

/** The schema of {@link StartGoalRequest}. */
export const startGoalRequestSchema: z.ZodType<StartGoalRequest> = named(
  'StartGoalRequest',
  request({ objective: z.string(), max_iterations: integer({ minimum: 1 }).default(10) }),
);

/** The schema of {@link UpdateSecretsRequest}. */
export const updateSecretsRequestSchema: z.ZodType<UpdateSecretsRequest> = named(
  'UpdateSecretsRequest',
  request({
    secrets: z.record(
      z.string(),
      z.preprocess(
        (source) => (typeof source === 'string' ? { kind: 'StaticSecret', value: source } : source),
        secretSourceSchema,
      ),
    ),
  }),
);

/** The schema of {@link SetConfirmationPolicyRequest}. */
export const setConfirmationPolicyRequestSchema: z.ZodType<SetConfirmationPolicyRequest> = named(
  'SetConfirmationPolicyRequest',
  request({ policy: knownPolicySchema }),
);

/** The schema of {@link SetSecurityAnalyzerRequest}; the member must be there. */
export const setSecurityAnalyzerRequestSchema: z.ZodType<SetSecurityAnalyzerRequest> = named(
  'SetSecurityAnalyzerRequest',
  request({ security_analyzer: z.nullable(knownAnalyzerSchema) }),
);

/** The schema of the answer to a side question. */
export const askAgentResponseSchema: z.ZodType<AskAgentAnswer> = named(
  'AskAgentResponse',
  answer({ response: z.string(), record: z.exactOptional(jsonObject) }),
);

/** The schema of a conversation's last answer: the text of its end, or empty. */
export const agentResponseSchema: z.ZodType<TextResponse> = named(
  'AgentResponseResult',
  answer({ response: z.string() }),
);

/** The schema of {@link ConfirmationResponseRequest}. */
export const confirmationResponseRequestSchema: z.ZodType<ConfirmationResponseRequest> = named(
  'ConfirmationResponseRequest',
  request({ accept: boolean(), reason: z.string().default(DEFAULT_REJECTION_REASON) }),
);

/** The schema of {@link ApproveRequest}. */
export const approveRequestSchema: z.ZodType<ApproveRequest> = named(
  'ApproveRequest',
  request({ action_ids: orNull(z.array(z.string()).min(1)) }),
);

/** The schema of {@link RejectRequest}. */
export const rejectRequestSchema: z.ZodType<RejectRequest> = named(
  'RejectRequest',
  request({
    action_ids: orNull(z.array(z.string()).min(1)),
    reason: z.string().default(DEFAULT_REJECTION_REASON),
  }),
);

/** The schema of {@link AnswerCallRequest}. */
export const answerCallRequestSchema: z.ZodType<AnswerCallRequest> = named(
  'AnswerCallRequest',
  request({
    action_id: z.string(),
    content: messageContentSchema.default([]),
    is_error: boolean().default(false),
  }),
);

/** The schema of a request to switch to a stored model. */
export const switchProfileRequestSchema: z.ZodType<{ readonly profile_name: string }> = named(
  'SwitchProfileRequest',
  request({ profile_name: z.string() }),
);

/** The schema of a request to switch to a described model. */
export const switchLlmRequestSchema: z.ZodType<{ readonly llm: LlmDescription }> = named(
  'SwitchLlmRequest',
  request({ llm: llmDescriptionSchema }),
);

/** The schema of a request to switch an ACP agent's model. */
export const switchAcpModelRequestSchema: z.ZodType<{ readonly model: string }> = named(
  'SwitchAcpModelRequest',
  request({ model: z.string() }),
);

/** The schema of a request to load a plugin. */
export const loadPluginRequestSchema: z.ZodType<{ readonly plugin_ref: string }> = named(
  'LoadPluginRequest',
  request({ plugin_ref: z.string() }),
);
