import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

/** The tools of an agent whose settings name none. */
const DEFAULT_TOOLS: readonly JsonObject[] = ['terminal', 'file_editor', 'task_tracker'].map((name) => ({
  name,
  params: {},
}));

/** The tool that `enable_sub_agents` adds, and the names of equivalent tools. */
const SUB_AGENTS: JsonObject = { name: 'task_tool_set', params: {} };
const SUB_AGENT_TOOLS: readonly unknown[] = ['task_tool_set', 'task'];

/** Members of the settings that are copied to the agent unchanged. */
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

/** Returns the agent that a settings object describes, as OpenHands' server builds it. Unknown members are kept. */
export function agentFromSettings(settings: JsonObject): JsonObject {
  const kept = Object.entries(settings).filter(
    ([name, value]) => (COPIED as readonly string[]).includes(name) && value !== null,
  );
  if (settings['agent_kind'] === 'acp') return acpAgent(settings, Object.fromEntries(kept));
  const { llm = {} } = settings;
  return {
    kind: 'Agent',
    llm,
    tools: toolsOf(settings),
    include_default_tools: [
      'FinishTool',
      'ThinkTool',
      ...(settings['enable_switch_llm_tool'] === false ? [] : ['SwitchLLMTool']),
    ],
    ...Object.fromEntries(kept),
    ...condenserOf(settings['condenser'], llm),
  };
}

function toolsOf({ tools, enable_sub_agents: subAgents }: JsonObject): Json {
  const listed: readonly Json[] = Array.isArray(tools) && tools.length > 0 ? tools : DEFAULT_TOOLS;
  const isThere = listed.some((tool) => isJsonObject(tool) && SUB_AGENT_TOOLS.includes(tool['name']));
  return subAgents === true && !isThere ? [...listed, SUB_AGENTS] : listed;
}

/** Returns an ACP agent; its members have the same names in the settings and in the agent. */
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
  const { enabled = true, ...rest } = isJsonObject(settings) ? settings : {};
  if (enabled === false) return { condenser: null };
  const limits = Object.entries(rest).filter(([name]) => (CONDENSER as readonly string[]).includes(name));
  return {
    condenser: {
      kind: 'LLMSummarizingCondenser',
      llm: isJsonObject(llm) ? { ...llm, usage_id: 'condenser' } : {},
      ...Object.fromEntries(limits),
    },
  };
}
