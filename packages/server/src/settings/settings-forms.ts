import type { Json } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { RouteTypes, settingsRoutes } from '@conv/openhands/rest';

import { DEFAULT_AGENT_SETTINGS, DEFAULT_CONVERSATION_SETTINGS } from './default-settings.ts';

type SettingsForm = RouteTypes<typeof settingsRoutes.getAgentForm>['answer'];
type SettingsSection = SettingsForm['sections'][number];
type SettingField = SettingsSection['fields'][number];
type Field = Pick<SettingField, 'key' | 'label' | 'value_type'> & Partial<SettingField>;

/** A limit of the condenser. */
const LIMIT = { value_type: 'integer', depends_on: ['condenser.enabled'] } as const;

/** The form for agent settings, limited to the settings that this server supports. */
export const AGENT_SETTINGS_FORM: SettingsForm = {
  model_name: 'AgentSettings',
  sections: [
    section('general', 'General', [
      { key: 'tools', label: 'Tools', value_type: 'array', prominence: 'major' },
      { key: 'enable_sub_agents', label: 'Enable sub-agents', value_type: 'boolean', prominence: 'major' },
      { key: 'enable_switch_llm_tool', label: 'Let the agent change its model', value_type: 'boolean' },
      {
        key: 'tool_concurrency_limit',
        label: 'Tool calls at the same time',
        value_type: 'integer',
        prominence: 'major',
      },
      { key: 'mcp_config', label: 'MCP servers', value_type: 'object' },
    ]),
    section('llm', 'LLM', [
      { key: 'llm.model', label: 'Model', value_type: 'string', prominence: 'critical' },
      { key: 'llm.api_key', label: 'API key', value_type: 'string', prominence: 'critical', secret: true },
      { key: 'llm.base_url', label: 'Base URL', value_type: 'string', prominence: 'major' },
      { key: 'llm.api_version', label: 'API version', value_type: 'string' },
      { key: 'llm.timeout', label: 'Seconds to wait for an answer', value_type: 'integer', default: 300 },
      { key: 'llm.num_retries', label: 'Repetitions', value_type: 'integer', default: 5 },
      { key: 'llm.temperature', label: 'Temperature', value_type: 'number' },
      { key: 'llm.top_p', label: 'Top P', value_type: 'number' },
      { key: 'llm.max_input_tokens', label: 'Input tokens at most', value_type: 'integer' },
      { key: 'llm.max_output_tokens', label: 'Output tokens at most', value_type: 'integer' },
      { key: 'llm.reasoning_effort', label: 'Reasoning effort', value_type: 'string', default: 'high' },
      { key: 'llm.stream', label: 'Stream answers', value_type: 'boolean', default: false },
      { key: 'llm.extra_headers', label: 'Further headers', value_type: 'object' },
    ]),
    section('condenser', 'Condenser', [
      { key: 'condenser.enabled', label: 'Shorten long histories', value_type: 'boolean', prominence: 'critical' },
      { key: 'condenser.max_size', label: 'Events at most', ...LIMIT },
      { key: 'condenser.max_tokens', label: 'Tokens at most', ...LIMIT },
      { key: 'condenser.keep_first', label: 'First events to keep', ...LIMIT },
    ]),
  ],
};

export const CONVERSATION_SETTINGS_FORM: SettingsForm = {
  model_name: 'ConversationSettings',
  sections: [
    section('general', 'General', [
      { key: 'max_iterations', label: 'Answers of the model per run', value_type: 'integer', prominence: 'major' },
    ]),
    section('verification', 'Verification', [
      { key: 'confirmation_mode', label: 'Ask before actions', value_type: 'boolean', prominence: 'critical' },
      {
        key: 'security_analyzer',
        label: 'Who rates the risk of actions',
        value_type: 'string',
        prominence: 'major',
        depends_on: ['confirmation_mode'],
        choices: ['llm', 'pattern', 'policy_rail', 'none'].map((value) => ({ value, label: value })),
      },
    ]),
  ],
};

function section(key: string, label: string, fields: readonly Field[]): SettingsSection {
  return {
    key,
    label,
    variant: null,
    fields: fields.map((field) => ({
      description: null,
      section: key,
      section_label: label,
      default: defaultOf(field.key),
      prominence: 'minor',
      depends_on: [],
      secret: false,
      choices: [],
      variant: null,
      ...field,
    })),
  };
}

function defaultOf(key: string): Json {
  let value: Json = { ...DEFAULT_AGENT_SETTINGS, ...DEFAULT_CONVERSATION_SETTINGS };
  for (const part of key.split('.')) value = isJsonObject(value) ? (value[part] ?? null) : null;
  return value === '' ? null : value;
}
