import type { Json, JsonObject } from '@conv/core';

/** The tools of an agent whose settings name none. */
const DEFAULT_TOOLS: readonly JsonObject[] = ['terminal', 'file_editor', 'task_tracker'].map((name) => ({
  name,
  params: {},
}));

/** Members of the settings that are an agent's as they are. */
const COPIED = ['mcp_config', 'agent_context', 'tool_concurrency_limit'] as const;

/** The condenser's members of the same name. */
const CONDENSER = [
  'max_size',
  'max_tokens',
  'keep_first',
  'minimum_progress',
  'hard_context_reset_max_retries',
  'hard_context_reset_context_scaling',
] as const;

/** The agent that a settings object describes, as OpenHands' server makes it; members that nobody knows here are kept. */
export function agentFromSettings(settings: JsonObject): JsonObject {
  const kept = Object.entries(settings).filter(
    ([name, value]) => (COPIED as readonly string[]).includes(name) && value !== null,
  );
  if (settings['agent_kind'] === 'acp') return acpAgent(settings, Object.fromEntries(kept));
  const { llm = {} } = settings;
  const tools = Array.isArray(settings['tools']) && settings['tools'].length > 0 ? settings['tools'] : DEFAULT_TOOLS;
  return {
    kind: 'Agent',
    llm,
    tools: tools as Json,
    include_default_tools: [
      'FinishTool',
      'ThinkTool',
      ...(settings['enable_switch_llm_tool'] === false ? [] : ['SwitchLLMTool']),
    ],
    ...Object.fromEntries(kept),
    ...condenserOf(settings['condenser'], llm),
  };
}

/** What is said of an ACP agent has the same names in both. */
function acpAgent(settings: JsonObject, kept: JsonObject): JsonObject {
  const acp = Object.entries(settings).filter(([name, value]) => name.startsWith('acp_') && value !== null);
  return {
    kind: 'ACPAgent',
    ...(settings['llm'] ? { llm: settings['llm'] } : {}),
    ...Object.fromEntries(acp),
    ...kept,
  };
}

function condenserOf(settings: Json | undefined, llm: Json): { condenser?: JsonObject | null } {
  const { enabled = true, ...rest } = isObject(settings) ? settings : {};
  if (enabled === false) return { condenser: null };
  const limits = Object.entries(rest).filter(([name]) => (CONDENSER as readonly string[]).includes(name));
  return {
    condenser: {
      kind: 'LLMSummarizingCondenser',
      llm: isObject(llm) ? { ...llm, usage_id: 'condenser' } : {},
      ...Object.fromEntries(limits),
    },
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
