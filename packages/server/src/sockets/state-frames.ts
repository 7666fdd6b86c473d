import type { Json, JsonObject, StateFields } from '@conv/core';
import type { EventOfKind } from '@conv/core/events';
import type { Platform } from '@conv/core/platform';
import { toBaseState } from '@conv/openhands/folder';

import { withoutSkills } from '../conversations/conversation-info.ts';
import { withAsterisks } from '../http/secret-texts.ts';
import { socketEvent, TransientFrames } from './event-frames.ts';

/** Maximum bytes of a frame with state, because clients of the protocol close a socket over a larger frame. */
const MAX_FRAME = 1024 * 1024;

/** Bytes reserved for the parts of a frame around its value. */
const AROUND = 1024;

/** Lists of single calls of a model. */
const LISTS: ReadonlySet<string> = new Set(['costs', 'response_latencies', 'token_usages']);

/** Members that get no frame of their own, because HEAD follows from the events. */
const SILENT: ReadonlySet<string> = new Set(['leaf_event_id', 'head_is_empty']);

/** Source of the ids and times of frames. */
type FrameStamps = Pick<Platform, 'id' | 'now'>;

/** Returns frames with the whole state, as pushed to a new follower and when a run has ended. Never above 1 MiB. */
export function fullStateFrames(stamps: FrameStamps, fields: StateFields): TransientFrames {
  const value = fitting(withAsterisks(toBaseState(fields)));
  if (value) return stateFrames(stamps, 'full_state', value);
  return stateFrames(stamps, 'execution_status', fields.executionStatus);
}

/**
 * Returns the changes between two states, with a frame for each member. A frame above 1 MiB is left out, because the full state
 * has that member. The status is told again when a call begins that may be one of the client: no member shows the beginning, and a follower
 * that reads the commits looks for it at any frame.
 */
export function changeFrames(stamps: FrameStamps, state: StateFields, before: StateFields): readonly TransientFrames[] {
  const [now, then] = [toBaseState(state), toBaseState(before)];
  const keys = [...new Set([...Object.keys(now), ...Object.keys(then)])];
  const isTold = (key: string): boolean =>
    (!SILENT.has(key) && isChanged(now[key], then[key])) ||
    (key === 'execution_status' && beginsClientCall(state, before));
  return keys
    .filter(isTold)
    .map((key) => stateFrames(stamps, key, shown(key, now[key])))
    .filter(({ plain }) => plain.length <= MAX_FRAME);
}

/** True if a call has begun since, in a conversation with tools of its clients. */
function beginsClientCall({ calls, clientTools }: StateFields, before: StateFields): boolean {
  if (calls === before.calls || clientTools.length === 0) return false;
  return Object.entries(calls).some(([id, phase]) => phase === 'started' && before.calls[id] !== phase);
}

/** True if a member changed. Compares by identity first, because most members are the same object as before. */
function isChanged(now: Json | undefined, then: Json | undefined): boolean {
  return now !== then && JSON.stringify(now) !== JSON.stringify(then);
}

function stateFrames(stamps: FrameStamps, key: string, value: Json | undefined): TransientFrames {
  return new TransientFrames(
    socketEvent<EventOfKind<'ConversationStateUpdateEvent'>>(stamps, {
      source: 'environment',
      key,
      ...(value === undefined ? {} : { value }),
      kind: 'ConversationStateUpdateEvent',
    }),
  );
}

function shown(key: string, value: Json | undefined): Json | undefined {
  if (value === undefined) return undefined;
  if (key === 'stats') return withoutLists(value as JsonObject);
  return withAsterisks({ [key]: value })[key];
}

/** Returns the totals of a model's costs; the lists of single calls are sent in the full state only. */
function withoutLists(stats: JsonObject): JsonObject {
  const usages = Object.entries((stats['usage_to_metrics'] ?? {}) as Record<string, JsonObject>);
  // clients read a missing budget as unknown, so null is sent
  const totals = (metrics: JsonObject): JsonObject => ({
    max_budget_per_task: null,
    ...Object.fromEntries(Object.entries(metrics).filter(([key]) => !LISTS.has(key))),
  });
  return { usage_to_metrics: Object.fromEntries(usages.map(([id, metrics]) => [id, totals(metrics)])) };
}

/** Reductions of a state that is too large for a frame, in the order in which they are tried. */
const REDUCTIONS: readonly ((state: JsonObject) => JsonObject)[] = [
  (state) => ({ ...state, agent: withoutSkills(state['agent'] as JsonObject) }),
  (state) => ({ ...state, agent_state: {} }),
  (state) => ({ ...state, hook_config: null }),
  (state) => ({ ...state, blocked_actions: {}, blocked_messages: {} }),
  (state) => Object.fromEntries(Object.entries(state).filter(([key]) => NEEDED.has(key))),
];

/** Members that clients cannot do without. */
const NEEDED: ReadonlySet<string> = new Set([
  'id',
  'agent',
  'workspace',
  'persistence_dir',
  'execution_status',
  'confirmation_policy',
]);

function fitting(state: JsonObject): JsonObject | undefined {
  let value = state;
  for (const reduce of REDUCTIONS) {
    if (fits(value)) return value;
    value = reduce(value);
  }
  return fits(value) ? value : undefined;
}

function fits(value: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(value)) <= MAX_FRAME - AROUND;
}
