import type { JsonObject, StateFields } from '@conv/core';
import { toolSchemas, type ClientToolInput } from '@conv/core/tool';
import type { ClientToolSpec } from '@conv/openhands/descriptions';

/** The member under which clients send thresholds of loop detection, and conversations store them. */
export const STUCK_THRESHOLDS = 'stuck_detection_thresholds';

/** Options of a conversation that hold in one process only, so they are given again at each opening. */
export interface GivenAgain extends ReturnType<typeof storedAnsweringTools> {
  readonly thresholds: JsonObject | undefined;
}

/** Returns the options that a stored conversation is given again when it is opened. */
export function givenAgain(fields: Pick<StateFields, 'clientTools' | 'extra'>): GivenAgain {
  return { ...storedAnsweringTools(fields), thresholds: thresholdsOf(fields.extra.meta) };
}

/** Returns the thresholds in the metadata of a conversation. */
export function thresholdsOf(meta: JsonObject | undefined): JsonObject | undefined {
  const thresholds = meta?.[STUCK_THRESHOLDS];
  return typeof thresholds === 'object' && thresholds !== null ? (thresholds as JsonObject) : undefined;
}

/** Metadata member that lists the client tools whose calls the client answers. */
const KEPT_AS = 'answered_by_client';

/**
 * Returns the metadata stored for tools that say `answers: 'caller'`. That member is our own extension, so a conversation has to
 * be given it again when it is loaded.
 */
export function answeringTools(tools: readonly ClientToolSpec[]): JsonObject {
  const names = tools.filter((tool) => 'answers' in tool && tool.answers === 'caller').map(({ name }) => name);
  return names.length === 0 ? {} : { [KEPT_AS]: names };
}

/** Returns those tools of a stored conversation, as it is opened with them. Old tools may have names that are reserved now. */
function storedAnsweringTools({ clientTools, extra }: Pick<StateFields, 'clientTools' | 'extra'>): {
  readonly clientTools?: readonly ClientToolInput[];
} {
  const names = extra.meta[KEPT_AS];
  if (!Array.isArray(names)) return {};
  const answering = clientTools.filter(({ name }) => names.includes(name) && !toolSchemas.isReservedName(name));
  return { clientTools: answering.map((tool) => ({ ...tool, answers: 'caller' })) };
}
