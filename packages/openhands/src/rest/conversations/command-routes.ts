import { defineRoute } from '../define-route.ts';
import { bodyOr, successSchema } from '../../schema/index.ts';
import { changeSettingsRequestSchema } from './change-settings.ts';
import { conversationParams } from './conversation-params.ts';
import {
  agentResponseSchema,
  askAgentRequestSchema,
  askAgentResponseSchema,
  loadPluginRequestSchema,
  runConversationRequestSchema,
  setConfirmationPolicyRequestSchema,
  setSecurityAnalyzerRequestSchema,
  startGoalRequestSchema,
  switchAcpModelRequestSchema,
  switchLlmRequestSchema,
  switchProfileRequestSchema,
  updateSecretsRequestSchema,
} from './conversation-requests.ts';

const tag = 'Conversations';
const item = '/api/conversations/{conversation_id}';
const missing = 'There is no such conversation.';
const running = 'The agent is running.';
const params = conversationParams;
const answer = successSchema;
const errors = { 404: missing };
/** OpenHands' server answers 400 for a conversation that is not there. */
const missingCodes = { 400: 'NOT_FOUND' } as const;

/** Commands to a conversation. */
export const commandRoutes = {
  /** Runs the agent in the background. If actions wait for a person, starting a run approves them, unless `approves` is false. The body is optional. */
  run: defineRoute(tag, `POST ${item}/run`, 'run_conversation', 'Run the agent', {
    scope: 'run',
    params,
    body: bodyOr({}, runConversationRequestSchema),
    bodyOptional: true,
    answer,
    errors: { ...errors, 409: running },
  }),

  pause: defineRoute(tag, `POST ${item}/pause`, 'pause_conversation', 'Pause after the current step', {
    scope: 'run',
    params,
    answer,
    errors,
    codes: missingCodes,
  }),

  /** Cancels the model call and the tools that run; answers when the run has ended. */
  interrupt: defineRoute(tag, `POST ${item}/interrupt`, 'interrupt_conversation', 'Stop at once', {
    scope: 'run',
    params,
    answer,
    errors,
    codes: missingCodes,
  }),

  /** Shortens the history that the model sees. */
  condense: defineRoute(tag, `POST ${item}/condense`, 'condense_conversation', 'Condense the history', {
    scope: 'run',
    params,
    answer,
    errors: { ...errors, 409: 'The agent is running, or has no condenser.' },
    codes: { 409: 'UNSUPPORTED' },
  }),

  /** Sets secrets; others stay. */
  updateSecrets: defineRoute(tag, `POST ${item}/secrets`, 'update_conversation_secrets', 'Set secrets', {
    scope: 'run',
    params,
    body: updateSecretsRequestSchema,
    answer,
    errors,
  }),

  setConfirmationPolicy: defineRoute(
    tag,
    `POST ${item}/confirmation_policy`,
    'set_conversation_confirmation_policy',
    'Set the confirmation policy',
    { scope: 'approve', params, body: setConfirmationPolicyRequestSchema, answer, errors },
  ),

  setSecurityAnalyzer: defineRoute(
    tag,
    `POST ${item}/security_analyzer`,
    'set_conversation_security_analyzer',
    'Set the security analyzer',
    { scope: 'approve', params, body: setSecurityAnalyzerRequestSchema, answer, errors },
  ),

  switchProfile: defineRoute(
    tag,
    `POST ${item}/switch_profile`,
    'switch_conversation_profile',
    'Use the model of a profile',
    {
      scope: 'run',
      params,
      body: switchProfileRequestSchema,
      answer,
      errors: { 400: 'The profile cannot be used.', 404: 'There is no such conversation, or no such profile.' },
    },
  ),

  switchLlm: defineRoute(tag, `POST ${item}/switch_llm`, 'switch_conversation_llm', 'Use another model', {
    scope: 'run',
    params,
    body: switchLlmRequestSchema,
    answer,
    errors: { ...errors, 400: 'The model cannot be used.' },
  }),

  switchAcpModel: defineRoute(
    tag,
    `POST ${item}/switch_acp_model`,
    'switch_conversation_acp_model',
    'Use another model of an ACP agent',
    {
      scope: 'run',
      params,
      body: switchAcpModelRequestSchema,
      answer,
      errors: { ...errors, 400: 'The agent is no ACP agent.', 504: 'The agent did not answer in time.' },
    },
  ),

  loadPlugin: defineRoute(tag, `POST ${item}/load_plugin`, 'load_conversation_plugin', 'Load a plugin', {
    scope: 'run',
    params,
    body: loadPluginRequestSchema,
    answer,
    errors: { ...errors, 400: 'The plugin cannot be loaded.' },
  }),

  startGoal: defineRoute(tag, `POST ${item}/goal`, 'start_conversation_goal', 'Work on a goal', {
    scope: 'run',
    params,
    body: startGoalRequestSchema,
    answer,
    errors: { ...errors, 409: running },
  }),

  /** Stops work on the goal; succeeds also if there is none. */
  stopGoal: defineRoute(tag, `POST ${item}/goal/stop`, 'stop_conversation_goal', 'Stop working on the goal', {
    scope: 'run',
    params,
    answer,
    errors,
  }),

  resumeGoal: defineRoute(tag, `POST ${item}/goal/resume`, 'resume_conversation_goal', 'Resume the goal', {
    scope: 'run',
    params,
    answer,
    errors: { ...errors, 400: '`no_resumable_goal`: there is none.', 409: running },
  }),

  /** Changes limits, stuck detection, and takes a title or secrets away. */
  changeSettings: defineRoute(
    tag,
    `POST ${item}/settings`,
    'change_conversation_settings',
    'Change settings that no other route changes',
    { scope: 'run', params, body: changeSettingsRequestSchema, answer, errors, extension: true },
  ),

  /** Asks the agent a side question; the conversation does not change. */
  askAgent: defineRoute(tag, `POST ${item}/ask_agent`, 'ask_agent', 'Ask a side question', {
    scope: 'run',
    params,
    body: askAgentRequestSchema,
    answer: askAgentResponseSchema,
    errors,
  }),

  /** Gets the agent's last answer: its finish message or its last words; empty if there is none. */
  getFinalResponse: defineRoute(
    tag,
    `GET ${item}/agent_final_response`,
    'get_conversation_agent_final_response',
    "Get the agent's last answer",
    { scope: 'read', params, answer: agentResponseSchema, errors },
  ),
};
