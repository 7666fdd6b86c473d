import { toCommitSeq, type Commit } from '@conv/core/store';
import type { JsonObject, StateFields } from '@conv/core';
import { historyRoutes, type WireCommit } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import type { ConversationHost } from '../hosting/conversation-host.ts';
import { ApiError } from '../http/api-error.ts';
import { conversationServing } from './conversation-serving.ts';
import { withoutSecrets } from '../http/secret-texts.ts';

/** Bytes of JSON after which a page of commits ends. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Serves the history of a conversation: its commits, and its state after any of them. */
export function servePast(app: FastifyInstance, host: ConversationHost): void {
  const { read } = conversationServing(app, host);
  read(historyRoutes.listCommits, async ({ state }, { query }) => {
    const end = state.end.seq;
    const commits: WireCommit[] = [];
    let bytes = 0;
    let last = query.after;
    for await (const commit of state.commits({ from: toCommitSeq(query.after + 1) })) {
      const wire = toWireCommit(commit);
      bytes += JSON.stringify(wire).length;
      if (commits.length > 0 && bytes > PAGE_BYTES) break;
      commits.push(wire);
      last = commit.seq;
      if (commits.length === query.limit) break;
    }
    return { commits, through: end === 0 ? null : end - 1, has_more: last < end - 1 && commits.length > 0 };
  });
  read(historyRoutes.getState, async (reading, { query }) => {
    const { seq: end, event: count } = reading.state.end;
    const { at, event } = query;
    const named = at ?? end - 1;
    if (named >= end) throw new ApiError(404, `Unknown commit: ${named}`);
    if (event !== null && event >= count) throw new ApiError(404, `Unknown event: ${event}`);
    if (at !== null && event !== null)
      throw new ApiError(422, 'expected a commit or an event, found both: leave out at or event');
    const { commit, state } = await reading.state.at(event === null ? toCommitSeq(named + 1) : { event });
    const events = commit ? commit.firstEvent + commit.events.length : 0;
    return {
      seq: commit?.seq ?? named,
      events,
      state: shownFields(state.fields),
      iteration: state.iteration,
      task_list: state.taskList as unknown as JsonObject[],
      pending: state.pendingActions.map(({ id }) => id),
    };
  });
}

function toWireCommit({ patch, ...commit }: Commit): WireCommit {
  const shown = patch && {
    ...patch,
    ...(patch.set ? { set: shownFields(patch.set) } : {}),
    ...(patch.add ? { add: shownFields(patch.add) } : {}),
  };
  return { ...commit, ...(shown ? { patch: shown } : {}) } as unknown as WireCommit;
}

/** Returns the fields without ciphertext, because hidden values are not shown. */
function shownFields(fields: Partial<StateFields>): JsonObject {
  const { hiddenValues, ...rest } = fields;
  return { ...withoutSecrets(rest as unknown as JsonObject), ...(hiddenValues ? { hiddenValues: [] } : {}) };
}
