import { TaskState, type ListTasksRequest, type ListTasksResponse, type Task } from '@a2a-js/sdk';
import { RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { pageOfTurns } from '@conv/turns';

import type { A2AHandlerOptions } from './handler-options.ts';
import { readTask } from './read-task.ts';

/**
 * Resolves with a page of the tasks that the sender of a request may see: those of a context, or those of all contexts that `list` names.
 * Rejects the protocol's errors for wrong parameters, and `NOT_FOUND` for a context that the sender does not have.
 */
export async function listTasks(
  params: ListTasksRequest,
  request: Request,
  options: A2AHandlerOptions,
): Promise<ListTasksResponse> {
  const { contextId, pageSize = 50, pageToken, includeArtifacts } = params;
  if (!(pageSize >= 1 && pageSize <= 100))
    throw new RequestMalformedError(`pageSize: expected a number from 1 to 100, found ${pageSize}`);
  const [isWanted, shorten] = [filterOf(params), shortening(params.historyLength)];
  const list: A2AHandlerOptions['list'] = contextId === '' ? options.list : async () => ({ ids: [contextId] });
  if (!list) throw new UnsupportedOperationError('expected a context: this agent lists the tasks of one');
  // only a context of a list may be missing
  if (contextId !== '') await options.conversation(contextId, request);
  const page = await pageOfTurns({
    open: (id) => (options.read ?? options.conversation)(id, request),
    list: (cursor) => list(cursor, request),
    after: pageToken || undefined,
    size: pageSize,
    read: async ({ conversation, event }) => {
      const task = shorten((await readTask(conversation, event)).task);
      return isWanted(task) ? { ...task, artifacts: includeArtifacts ? task.artifacts : [] } : undefined;
    },
  });
  return { tasks: [...page.entries], nextPageToken: page.next ?? '', pageSize, totalSize: page.seen };
}

/** Returns the filter of a request. */
function filterOf({ status: wanted, statusTimestampAfter }: ListTasksRequest): (task: Task) => boolean {
  const since = Date.parse(statusTimestampAfter || '1970');
  if (Number.isNaN(since) || TaskState[wanted] === undefined || wanted === TaskState.UNRECOGNIZED)
    throw new RequestMalformedError('expected a state of tasks and an ISO 8601 time as filters, found another value');
  const isAny = wanted === TaskState.TASK_STATE_UNSPECIFIED;
  return ({ status }) => (isAny || status?.state === wanted) && !(Date.parse(status?.timestamp ?? '') < since);
}

/** Returns a function that cuts the history of a task to its newest messages. Throws `RequestMalformedError` for a wrong length. */
export function shortening(length?: number): (task: Task) => Task {
  if (length !== undefined && !(Number.isInteger(length) && length >= 0))
    throw new RequestMalformedError(`historyLength: expected a number of messages, found ${length}`);
  return (task) => ({ ...task, history: length === 0 ? [] : task.history.slice(-(length ?? Infinity)) });
}
