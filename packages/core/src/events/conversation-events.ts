import { z } from 'zod';
import { criticResultSchema, errorClassificationSchema } from './common-fields.ts';
import { textContentSchema } from './content.ts';
import { eventBase } from './event-base.ts';
import { messageSchema } from './message.ts';
import { anyJson, jsonObject, kindsOf, optional } from './model.ts';
import { toolDefinitionSchema } from './tool-definition.ts';

/** The schemas of all events but those of tool calls. */
export const conversationEvents = kindsOf(eventBase, {
  /** The system prompt and the tools; written once, before the first user message. */
  SystemPromptEvent: {
    system_prompt: textContentSchema,
    tools: z.array(toolDefinitionSchema),
    /** Text of this conversation alone: skills, workspace, names of secrets. */
    dynamic_context: optional(textContentSchema),
  },
  /** A message of the user, the agent, or the environment (nudges, feedback of hooks). */
  MessageEvent: {
    llm_message: messageSchema,
    llm_response_id: optional(z.string()),
    activated_skills: z.exactOptional(z.array(z.string())),
    /** Text that the model sees after the message; absent means none. */
    extended_content: z.exactOptional(z.array(textContentSchema)),
    sender: optional(z.string()),
    critic_result: optional(criticResultSchema),
  },
  /** Takes events out of what the model sees and may put a summary in their place. */
  Condensation: {
    /** A set: the order means nothing. Absent means empty. */
    forgotten_event_ids: z.exactOptional(z.array(z.string())),
    summary: optional(z.string()),
    /** Position of the summary in the view that is left. */
    summary_offset: optional(z.int().min(0)),
    llm_response_id: z.string(),
  },
  /** Asks the agent to condense at its next step. */
  CondensationRequest: {},
  /** The summary of a condensation, as it stands in a view; made there, with id `<condensation id>-summary`. */
  CondensationSummaryEvent: { summary: z.string() },
  /** Announces a change of the conversation's state; never moves HEAD, never written to a log by us. */
  ConversationStateUpdateEvent: {
    /** Name of the changed field, or `full_state`. */
    key: z.exactOptional(z.string()),
    /** A null is dropped where nulls are omitted: with key `security_analyzer` an absent value means "cleared". */
    value: z.exactOptional(anyJson),
  },
  /** A failure of the whole conversation; the model does not see it. */
  ConversationErrorEvent: {
    /** Usually the name of the error class; also `MaxIterationsReached`, `MaxBudgetReached`. */
    code: z.string(),
    detail: z.string(),
    /** Absent only in old logs: then `code` and `detail` tell it. */
    classification: optional(errorClassificationSchema),
  },
  /** Says on a socket that a client's frame could not be handled; never stored. */
  ServerErrorEvent: { code: z.string(), detail: z.string() },
  /** The run stops after the current step. */
  PauseEvent: {},
  /** The running model call or tool was cancelled. */
  InterruptEvent: {},
  /** The run of one hook. */
  HookExecutionEvent: {
    hook_event_type: z.enum(['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop']),
    hook_command: z.string(),
    tool_name: optional(z.string()),
    success: z.boolean(),
    /** Absent means false. */
    blocked: z.exactOptional(z.boolean()),
    exit_code: z.int(),
    stdout: z.exactOptional(z.string()),
    stderr: z.exactOptional(z.string()),
    reason: optional(z.string()),
    additional_context: optional(z.string()),
    error: optional(z.string()),
    action_id: optional(z.string()),
    message_id: optional(z.string()),
    hook_input: optional(jsonObject),
  },
  /** Risks of actions by their ids, rated by an analyzer; written by OpenHands from 1.54 on. The model does not see them. */
  SecurityAnalysisEvent: { analyzer: z.string(), policy: z.string(), risks: jsonObject, details: optional(jsonObject) },
  /** The log of one model call as JSON text, when logging was requested. */
  LLMCompletionLogEvent: {
    filename: z.string(),
    log_data: z.string(),
    model_name: z.exactOptional(z.string()),
    usage_id: z.exactOptional(z.string()),
  },
  /** The token ids of one model call, from endpoints that return them. */
  TokenEvent: { prompt_token_ids: z.array(z.int()), response_token_ids: z.array(z.int()) },
  /** A chunk of a reply that is still being written; only on sockets, never stored. */
  StreamingDeltaEvent: { content: optional(z.string()), reasoning_content: optional(z.string()) },
});
