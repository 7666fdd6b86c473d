import type { z } from 'zod';
import type { Route } from '../route.ts';
import { bodyOr } from '../../schema/objects.ts';
import { type Success, successSchema } from '../../schema/success.ts';
import type { LlmDescription } from '../../descriptions/llm.ts';
import { type ConversationParams, conversationParams } from './conversation-params.ts';
import {
  agentResponseSchema,
  type AskAgentAnswer,
  type AskAgentRequest,
  askAgentRequestSchema,
  askAgentResponseSchema,
  loadPluginRequestSchema,
  type RunConversationRequest,
  runConversationRequestSchema,
  type SetConfirmationPolicyRequest,
  setConfirmationPolicyRequestSchema,
  type SetSecurityAnalyzerRequest,
  setSecurityAnalyzerRequestSchema,
  type StartGoalRequest,
  startGoalRequestSchema,
  switchAcpModelRequestSchema,
  switchLlmRequestSchema,
  switchProfileRequestSchema,
  type TextResponse,
  type UpdateSecretsRequest,
  updateSecretsRequestSchema,
} from './conversation-requests.ts';

/** A command to a conversation that needs no more words; a body is ignored. */
export type ConversationCommand = Route<{ params: ConversationParams }, Success>;

/** A command to a conversation that says something. */
export type ConversationOrder<Body> = Route<{ params: ConversationParams; body: Body }, Success>;

const item = '/api/conversations/{conversation_id}';
const missing = 'There is no such conversation.';
const running = 'The agent is running.';

function command(
  path: string,
  operationId: string,
  summary: string,
  errors: Record<number, string> = {},
): ConversationCommand {
  return {
    method: 'POST',
    path: `${item}${path}`,
    operationId,
    tag: 'Conversations',
    summary,
    auth: 'session',
    params: conversationParams,
    success: 200,
    answer: successSchema,
    errors: { 404: missing, ...errors },
  };
}

function order<Body>(route: ConversationCommand, body: z.ZodType<Body>): ConversationOrder<Body> {
  return { ...route, body };
}

/** Runs the agent in the background. While actions wait for a person, that approves them. A body is optional. */
export const runConversation: ConversationOrder<RunConversationRequest> = {
  ...order(
    command('/run', 'run_conversation', 'Run the agent', { 409: running }),
    bodyOr({}, runConversationRequestSchema),
  ),
  bodyOptional: true,
};

/** Stops the agent after its current step. */
export const pauseConversation: ConversationCommand = command(
  '/pause',
  'pause_conversation',
  'Pause after the current step',
);

/** Cancels the model call and the tools that run; answers when the run has ended. */
export const interruptConversation: ConversationCommand = command(
  '/interrupt',
  'interrupt_conversation',
  'Stop at once',
);

/** Shortens the history that the model sees. */
export const condenseConversation: ConversationCommand = command(
  '/condense',
  'condense_conversation',
  'Condense the history',
  {
    409: 'The agent is running, or has no condenser.',
  },
);

/** Sets secrets; others stay. */
export const updateSecrets: ConversationOrder<UpdateSecretsRequest> = order(
  command('/secrets', 'update_conversation_secrets', 'Set secrets'),
  updateSecretsRequestSchema,
);

/** Sets the policy by which actions wait for a person. */
export const setConfirmationPolicy: ConversationOrder<SetConfirmationPolicyRequest> = order(
  command('/confirmation_policy', 'set_conversation_confirmation_policy', 'Set the confirmation policy'),
  setConfirmationPolicyRequestSchema,
);

/** Sets or removes what rates the risk of actions. */
export const setSecurityAnalyzer: ConversationOrder<SetSecurityAnalyzerRequest> = order(
  command('/security_analyzer', 'set_conversation_security_analyzer', 'Set the security analyzer'),
  setSecurityAnalyzerRequestSchema,
);

/** Switches to the model of a stored profile. */
export const switchProfile: ConversationOrder<{ readonly profile_name: string }> = order(
  command('/switch_profile', 'switch_conversation_profile', 'Use the model of a profile', {
    400: 'The profile cannot be used.',
    404: 'There is no such conversation, or no such profile.',
  }),
  switchProfileRequestSchema,
);

/** Switches to a model that the request describes. */
export const switchLlm: ConversationOrder<{ readonly llm: LlmDescription }> = order(
  command('/switch_llm', 'switch_conversation_llm', 'Use another model', { 400: 'The model cannot be used.' }),
  switchLlmRequestSchema,
);

/** Switches the model of an ACP agent. */
export const switchAcpModel: ConversationOrder<{ readonly model: string }> = order(
  command('/switch_acp_model', 'switch_conversation_acp_model', 'Use another model of an ACP agent', {
    400: 'The agent is no ACP agent.',
    504: 'The agent did not answer in time.',
  }),
  switchAcpModelRequestSchema,
);

/** Loads a plugin. */
export const loadPlugin: ConversationOrder<{ readonly plugin_ref: string }> = order(
  command('/load_plugin', 'load_conversation_plugin', 'Load a plugin', { 400: 'The plugin cannot be loaded.' }),
  loadPluginRequestSchema,
);

/** Starts work on a goal. */
export const startGoal: ConversationOrder<StartGoalRequest> = order(
  command('/goal', 'start_conversation_goal', 'Work on a goal', { 409: running }),
  startGoalRequestSchema,
);

/** Stops work on the goal; also right when there is none. */
export const stopGoal: ConversationCommand = command(
  '/goal/stop',
  'stop_conversation_goal',
  'Stop working on the goal',
);

/** Goes on with the goal. */
export const resumeGoal: ConversationCommand = command(
  '/goal/resume',
  'resume_conversation_goal',
  'Go on with the goal',
  {
    400: '`no_resumable_goal`: there is none.',
    409: running,
  },
);

/** Asks the agent a side question; the conversation does not change. */
export const askAgent: Route<{ params: ConversationParams; body: AskAgentRequest }, AskAgentAnswer> = {
  ...command('/ask_agent', 'ask_agent', 'Ask a side question'),
  body: askAgentRequestSchema,
  answer: askAgentResponseSchema,
};

/** Gets the agent's last answer: what it finished with or said last, empty if nothing. */
export const getFinalResponse: Route<{ params: ConversationParams }, TextResponse> = {
  ...command('/agent_final_response', 'get_conversation_agent_final_response', "Get the agent's last answer"),
  method: 'GET',
  answer: agentResponseSchema,
};
