import type { JsonObject } from '@conv/core';

/** Names of the tools of agents whose settings name none. */
export const DEFAULT_TOOLS: readonly string[] = ['terminal', 'file_editor', 'task_tracker'];

/** Agent settings before any client has set them. */
export const DEFAULT_AGENT_SETTINGS: JsonObject = {
  schema_version: 5,
  agent_kind: 'openhands',
  agent: 'CodeActAgent',
  llm: { model: '', usage_id: 'agent' },
  tools: DEFAULT_TOOLS.map((name) => ({ name, params: {} })),
  enable_sub_agents: false,
  enable_switch_llm_tool: true,
  tool_concurrency_limit: 1,
  mcp_config: {},
  agent_context: {
    skills: [],
    system_message_suffix: null,
    user_message_suffix: null,
    load_user_skills: true,
    load_public_skills: false,
    secrets: null,
  },
  condenser: {
    enabled: true,
    max_size: 240,
    condenser_kind: 'llm_summarizing',
    max_tokens: null,
    keep_first: 2,
    minimum_progress: 0.1,
    hard_context_reset_max_retries: 5,
    hard_context_reset_context_scaling: 0.8,
  },
  verification: {
    critic_enabled: false,
    critic_mode: 'finish_and_message',
    enable_iterative_refinement: false,
    critic_threshold: 0.6,
    max_refinement_iterations: 3,
    critic_server_url: null,
    critic_model_name: null,
    critic_api_key: null,
  },
};

/** Conversation settings before any client has set them. */
export const DEFAULT_CONVERSATION_SETTINGS: JsonObject = {
  schema_version: 1,
  max_iterations: 500,
  confirmation_mode: false,
  security_analyzer: 'llm',
};
