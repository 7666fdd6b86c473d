import type { Json, JsonObject, StateFields } from '@conv/core';
import type { Event } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';

import type { Link } from './link.ts';
import { USAGE_ID } from './usage.ts';

type Fields = Pick<StateFields, 'id' | 'agentState' | 'stats'>;

/** The state of the session of a program, as the log keeps it. The names of the session and its models are those of OpenHands. */
export interface SessionState {
  /** The id of the program's session; `undefined` when there is none that the live branch can continue. */
  readonly sessionId: string | undefined;
  /** The mode that this session had before it was asked for another one, as far as it is known. */
  readonly ownMode: string | undefined;
  /** The titles of the tool calls that have not ended, by their ids. */
  readonly openCalls: Readonly<Record<string, string>>;
  /** US dollars that were counted for this session. */
  readonly counted: number;
}

/**
 * Reads the state of the session. A session belongs to one conversation and one folder: a fork, whose state is a copy, begins another
 * one, and so does a branch on which the newest event that the session was given is missing.
 *
 * @param cwd the folder, masked as texts in the log are: a variable of the program may have its path
 */
export function sessionState(fields: Fields, events: readonly Event[], cwd: string): SessionState {
  const { agentState: kept, id } = fields;
  const { acp_session_id: sessionId, acp_prompted: prompted, acp_open_calls: open, acp_own_mode: own } = kept;
  const { acp_session_cwd: folder = cwd, acp_conversation_id: owner = id } = kept;
  const isOwn = owner === id && folder === cwd && typeof sessionId === 'string';
  const fits = typeof prompted !== 'string' || events.some((event) => event.id === prompted);
  const { acp_cost_before: before } = kept;
  return {
    sessionId: isOwn && fits ? sessionId : undefined,
    ownMode: isOwn && typeof own === 'string' ? own : undefined,
    openCalls: owner === id && isJsonObject(open) ? titlesIn(open) : {},
    counted: costIn(fields) - (typeof before === 'number' ? before : 0),
  };
}

/** Returns the state of a session that was opened. A new one was given nothing, and its cost begins at what was counted before. */
export function openedState(fields: Fields, link: Link, cwd: string): JsonObject {
  const { name, version } = link.about;
  const begun = link.isResumed ? {} : { acp_prompted: null, acp_cost_before: costIn(fields) };
  return {
    acp_agent_name: name,
    acp_agent_version: version,
    acp_session_id: link.sessionId,
    acp_session_cwd: cwd,
    acp_conversation_id: fields.id,
    acp_own_mode: link.ownMode ?? null,
    ...modelState(link),
    ...begun,
  };
}

/** Returns the state about the models of a session. */
export function modelState({ choice }: Pick<Link, 'choice'>): JsonObject {
  const models = choice?.models.map(({ id, name, description }) => ({ model_id: id, name, description })) ?? [];
  return {
    acp_current_model_id: choice?.current ?? null,
    acp_available_models: models as Json,
    acp_supports_runtime_model_switch: models.length > 0,
  };
}

/** A call whose title is damaged has its id for a title, because it must end nevertheless. */
function titlesIn(open: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(open).map(([id, title]) => [id, typeof title === 'string' ? title : id]));
}

function costIn({ stats }: Pick<Fields, 'stats'>): number {
  return stats[USAGE_ID]?.cost ?? 0;
}
