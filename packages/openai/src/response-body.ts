import type { Conversation } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { namedDecisions, tokenCounts, turnBehind, type TokenCounts, type TurnStatus } from '@conv/turns';

import { outputItems, type OutputItem } from './output-items.ts';
import { responseId } from './response-id.ts';
import { responseUsage } from './usage.ts';

/** A response as the API answers it. */
export interface ResponseBody {
  readonly id: string;
  readonly status: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  readonly output: readonly OutputItem[];
  readonly [field: string]: unknown;
}

/** Members of a response that its request said, and the log does not keep. */
export interface Asked {
  readonly model: string;
  readonly background: boolean;
  readonly instructions?: unknown;
  readonly metadata?: unknown;
  /** The tokens that models had taken before the request, which began a run, for its usage. Default: it is not known. */
  readonly before?: TokenCounts | undefined;
}

const STATUS: Readonly<Record<TurnStatus, ResponseBody['status']>> = {
  queued: 'queued',
  running: 'in_progress',
  waiting: 'completed',
  stopped: 'cancelled',
  failed: 'failed',
  done: 'completed',
};

const NOTHING = { incomplete_details: null, previous_response_id: null, temperature: null, top_p: null };

/** Members that say nothing here. */
const UNSET = { ...NOTHING, parallel_tool_calls: true, tool_choice: 'auto', tools: [] };

/** The state of a turn that is over: nothing of it waits. */
const DECIDED = { calls: {}, pendingActions: [], executionStatus: 'finished' } as const;

/** Resolves with the response behind an event, as the log has it now. */
export async function responseBody(
  conversation: Conversation,
  event: string,
  { model, background, instructions = null, metadata, before }: Asked,
): Promise<ResponseBody> {
  const { state, id, events } = conversation;
  const { after, items, failure, next, status } = await turnBehind(conversation, event);
  const said = after === undefined ? undefined : await events.at(after);
  const decided = namedDecisions(items).map(({ call, by }) => [`decided_by_${call}`, by]);
  const created = said === undefined ? 0 : Math.floor(Date.parse(said.timestamp) / 1000);
  return {
    id: responseId({ conversation: id, event }),
    object: 'response',
    created_at: Number.isNaN(created) ? 0 : created,
    status: STATUS[status],
    background,
    error: failure ? { code: 'server_error', message: failure.message } : null,
    model,
    output: items.flatMap((item) => outputItems(item, next === undefined ? state : DECIDED, after ?? -1)),
    conversation: { id },
    instructions,
    ...UNSET,
    // metadata has at most 16 entries
    metadata: Object.fromEntries([...Object.entries(isObject(metadata) ? metadata : {}), ...decided].slice(-16)),
    usage: before && status !== 'running' ? responseUsage(tokenCounts(state, before)) : null,
  };
}
