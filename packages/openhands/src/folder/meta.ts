import type { Json, JsonObject, StateFields } from '@conv/core';
import { toConversationId, toConversationKey, isStoreError } from '@conv/core/store';
import { readClientTools, toWireClientTool } from './client-tools.ts';
import { toWireHooks } from './wire-hooks.ts';
import { asObject, asText, asTextMap } from './json-reader.ts';

/** Members of `meta.json` that have a field of the state. The others are kept as they are. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    'workspace conversation_id parent_conversation_id confirmation_policy security_analyzer max_iterations',
    'stuck_detection hook_config client_tools tags id title created_at updated_at forked_from_conversation_id',
    'forked_from_event_id conv',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Returns the content of `meta.json`, which makes an agent server list the folder: nulls included, members in the reference's order.
 * Policy and analyzer are the present ones, because that server applies them again on every open.
 */
export function toMeta(state: StateFields, updatedAt: string): JsonObject {
  const kept = state.extra.meta;
  const { kind, workingDir, ...workspace } = state.workspace;
  const keep = (key: string, fallback: Json): Json => kept[key] ?? fallback;
  return {
    workspace: { working_dir: workingDir, ...workspace, kind },
    worktree: keep('worktree', false),
    conversation_id: state.id,
    parent_conversation_id: state.parentId,
    confirmation_policy: state.confirmationPolicy,
    security_analyzer: state.securityAnalyzer,
    initial_message: keep('initial_message', null),
    max_iterations: state.maxIterations,
    stuck_detection: state.stuckDetection,
    secrets: keep('secrets', {}),
    secrets_encrypted: keep('secrets_encrypted', false),
    tool_module_qualnames: keep('tool_module_qualnames', {}),
    client_tools: state.clientTools.map(toWireClientTool),
    agent_launch_additions: keep('agent_launch_additions', null),
    agent_definitions: keep('agent_definitions', []),
    plugins: keep('plugins', null),
    hook_config: toWireHooks(state.hookConfig),
    tags: state.tags,
    user_id: keep('user_id', null),
    observability_metadata: keep('observability_metadata', {}),
    observability_tags: keep('observability_tags', []),
    observability_span_name: keep('observability_span_name', 'conversation'),
    autotitle: keep('autotitle', true),
    title_llm_profile: keep('title_llm_profile', null),
    required_runtime_credential_bindings: keep('required_runtime_credential_bindings', []),
    id: toConversationKey(state.id),
    title: state.title,
    metrics: keep('metrics', null),
    created_at: state.createdAt,
    updated_at: updatedAt,
    forked_from_conversation_id: state.forkedFrom ? toConversationKey(state.forkedFrom.conversationId) : null,
    forked_from_event_id: state.forkedFrom?.eventId ?? null,
    launched_agent_profile: keep('launched_agent_profile', null),
    ...kept,
  };
}

/** Reads the members of a `meta.json` that `base_state.json` lacks: title, times, origin; all others are kept in `extra`. */
export function fromMeta(meta: JsonObject): Partial<StateFields> {
  const forkedFrom = idOrNull(meta['forked_from_conversation_id']);
  const createdAt = asText(meta['created_at']);
  const kept = Object.entries(meta).filter(([key]) => !KNOWN.has(key));
  const clientTools = readClientTools(meta['client_tools']);
  return {
    // the agent in `base_state.json` has them too, and is all there is where no server was
    ...(clientTools.length > 0 ? { clientTools } : {}),
    title: asText(meta['title']) ?? asTextMap(meta['tags'])['title'] ?? null,
    ...(createdAt === undefined ? {} : { createdAt }),
    parentId: idOrNull(meta['parent_conversation_id']),
    forkedFrom:
      forkedFrom === null
        ? null
        : { conversationId: forkedFrom, eventId: asText(meta['forked_from_event_id']) ?? null },
    extra: { baseState: {}, meta: asObject(Object.fromEntries(kept)) },
  };
}

function idOrNull(value: Json | undefined): string | null {
  const text = asText(value);
  if (text === undefined) return null;
  try {
    return toConversationId(text);
  } catch (error) {
    if (isStoreError(error, 'INVALID_ID')) return null;
    throw error;
  }
}
