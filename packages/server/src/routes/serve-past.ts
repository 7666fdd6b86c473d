import { toCommitSeq, type Commit } from '@conv/core/store';
import type { JsonObject, pastViews, ReadonlyState } from '@conv/core';
import { modelViewOf } from '@conv/openhands/messages';
import { historyRoutes, type ModelViewAnswer, pastRoutes, type WireCommit } from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { shownFields } from '../conversations/shown-fields.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import { ApiError } from '../http/api-error.ts';
import type { Reading } from '../hosting/stored-conversation.ts';
import { conversationServing } from './conversation-serving.ts';

/** Bytes of JSON after which a page of commits ends. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Serves the history of a conversation: its commits, and its state, its marks and the view of its model at any point. */
export function servePast(app: FastifyInstance, host: ConversationHost): void {
  const { read, past } = conversationServing(app, host);
  read(historyRoutes.listCommits, async ({ state, past: log }, { query }) => {
    const end = state.end.seq;
    const commits: WireCommit[] = [];
    let bytes = 0;
    let last = query.after;
    for await (const commit of log.commits({ from: toCommitSeq(query.after + 1) })) {
      const wire = toWireCommit(commit);
      bytes += JSON.stringify(wire).length;
      if (commits.length > 0 && bytes > PAGE_BYTES) break;
      commits.push(wire);
      last = commit.seq;
      if (commits.length === query.limit) break;
    }
    return { commits, through: end === 0 ? null : end - 1, has_more: last < end - 1 && commits.length > 0 };
  });
  past(historyRoutes.getState, async (reading, { query }) => {
    const { seq, events, state } = await stateAt(reading, pointOf(reading, query));
    return {
      seq,
      events,
      state: shownFields(state.fields),
      iteration: state.iteration,
      task_list: state.taskList as unknown as JsonObject[],
      pending: state.pendingActions.map(({ id }) => id),
    };
  });
  past(pastRoutes.getOutline, ({ past: log }, { query: { within, ...query } }) =>
    log.outline(within === null ? query : { ...query, within }),
  );
  past(pastRoutes.getView, async (reading, { query }) => {
    const view = await reading.past.view(pointOf(reading, query));
    const page = { limit: query.limit, ...(query.from === null ? {} : { from: query.from }) };
    return toWireView(await modelViewOf(view, page));
  });
}

/** The state after a commit. */
interface Found {
  readonly seq: number;
  /** The number of events up to there. */
  readonly events: number;
  readonly state: Pick<ReadonlyState, 'fields' | 'iteration' | 'taskList' | 'pendingActions'>;
}

async function stateAt({ state: newest, past }: Reading, point: pastViews.PastPoint): Promise<Found> {
  const { end } = newest;
  // the newest state is at hand, and a fold of the past begins far before it
  if (point === end.seq) return { seq: end.seq - 1, events: end.event, state: newest };
  const { commit, state } = await past.at(point);
  const seq = commit?.seq ?? (typeof point === 'object' ? end.seq : point) - 1;
  return { seq, events: commit ? commit.firstEvent + commit.events.length : 0, state };
}

interface NamedPoint {
  readonly at: number | null;
  readonly event: number | null;
}

/** Returns the point that a query names; without a name the end. Throws {@link ApiError} 404 and 422. */
function pointOf({ state }: Reading, { at, event }: NamedPoint): pastViews.PastPoint {
  const { seq: end, event: count } = state.end;
  const named = at ?? end - 1;
  if (named >= end) throw new ApiError(404, `Unknown commit: ${named}; expected one below ${end}`);
  if (event !== null && event >= count) throw new ApiError(404, `Unknown event: ${event}; expected one below ${count}`);
  if (at !== null && event !== null)
    throw new ApiError(422, 'expected a commit or an event, found both: leave out at or event');
  return event === null ? toCommitSeq(named + 1) : { event };
}

function toWireCommit({ patch, ...commit }: Commit): WireCommit {
  const shown = patch && {
    ...patch,
    ...(patch.set ? { set: shownFields(patch.set) } : {}),
    ...(patch.add ? { add: shownFields(patch.add) } : {}),
  };
  return { ...commit, ...(shown ? { patch: shown } : {}) } as unknown as WireCommit;
}

/** Returns a view in the form of the wire. Its first messages are left out where the page would be too large. */
function toWireView({ condensationRequested, ...view }: pastViews.ModelView): ModelViewAnswer {
  const messages: ModelViewAnswer['messages'][number][] = [];
  let bytes = 0;
  for (const { cachePoint, message, ...rest } of view.messages.toReversed()) {
    const wire = { ...rest, message: message as unknown as JsonObject, cache_point: cachePoint };
    bytes += JSON.stringify(message).length;
    if (messages.length > 0 && bytes > PAGE_BYTES) break;
    messages.unshift(wire);
  }
  const first = view.first + view.messages.length - messages.length;
  return { ...view, first, messages, condensation_requested: condensationRequested };
}
