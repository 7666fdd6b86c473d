import type { StateFields, StatePatch } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { isEvent, type Event, type GoalStatus, type JsonObject } from '@conv/core/events';
import { fromBaseState, fromMeta } from '@conv/openhands/folder';

/** Members of the wire's state that single updates name, and our fields for them. HEAD follows from events. */
const FIELDS: Readonly<Record<string, keyof StateFields>> = {
  agent: 'agent',
  max_iterations: 'maxIterations',
  stuck_detection: 'stuckDetection',
  execution_status: 'executionStatus',
  confirmation_policy: 'confirmationPolicy',
  security_analyzer: 'securityAnalyzer',
  activated_knowledge_skills: 'activatedKnowledgeSkills',
  activated_path_rules: 'activatedPathRules',
  invoked_skills: 'invokedSkills',
  blocked_actions: 'blockedActions',
  blocked_messages: 'blockedMessages',
  stats: 'stats',
  secret_registry: 'secretRegistry',
  tags: 'tags',
  agent_state: 'agentState',
  hook_config: 'hookConfig',
};

/** Returns the fields that the info of a conversation, or a published state, sets. Members that it leaves out stay as they are. */
export function fieldsOf(published: JsonObject): Partial<StateFields> {
  const base = fromBaseState(published);
  const fields: Partial<Record<keyof StateFields, unknown>> = {};
  for (const [member, field] of Object.entries(FIELDS)) if (member in published) fields[field] = base[field];
  for (const [member, field] of [
    ['id', 'id'],
    ['workspace', 'workspace'],
    ['persistence_dir', 'persistenceDir'],
  ] as const) {
    if (member in published) fields[field] = base[field];
  }
  const meta = fromMeta(published);
  if (typeof published['damaged'] === 'boolean') fields.damaged = published['damaged'];
  if (Array.isArray(published['damage'])) fields.damage = published['damage'];
  if ('title' in published) fields.title = meta.title;
  if (meta.createdAt !== undefined) fields.createdAt = meta.createdAt;
  if ('parent_conversation_id' in published) fields.parentId = meta.parentId;
  if ('forked_from_conversation_id' in published) fields.forkedFrom = meta.forkedFrom;
  return fields as Partial<StateFields>;
}

/** Returns the change that a stored update of the state makes; `undefined` if it makes none. */
export function patchOf(event: Event): StatePatch | undefined {
  if (!isEvent(event, 'ConversationStateUpdateEvent')) return undefined;
  const { key = '', value: said } = event;
  if (key === 'goal' && isObject(said)) return { set: { goal: said as unknown as GoalStatus } };
  const field = FIELDS[key];
  if (field === undefined) return undefined;
  // a null is written as an empty object
  const value = key === 'security_analyzer' && isObject(said) && Object.keys(said).length === 0 ? null : said;
  const fields = fromBaseState({ [key]: value } as JsonObject);
  return { set: { [field]: fields[field] } };
}

/** Returns the status in an update of the state. */
export function statusOf(event: Event): string | undefined {
  if (!isEvent(event, 'ConversationStateUpdateEvent') || event.key !== 'execution_status') return undefined;
  return typeof event.value === 'string' ? event.value : undefined;
}
