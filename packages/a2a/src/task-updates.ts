import { TaskState, type Message, type Part, type StreamResponse, type Task, type TaskStatus } from '@a2a-js/sdk';
import { abortable } from '@conv/core';
import { endOfRuns, turns, untilRest, waitsForClient, type AnswerItem, type TurnChange } from '@conv/turns';

import { artifactOf, partsOf, textPart, type TaskIds } from './message-parts.ts';
import { callMessages, isTerminal, readTask } from './read-task.ts';
import type { TakenMessage } from './take-message.ts';

/** A task to follow. */
export interface Following extends TakenMessage {
  /** True if the stream goes on while the task waits for input, until the task is over. */
  readonly stays: boolean;
  /** Shortens the history of the task, which is told first. Default: it is told whole. */
  readonly shorten?: ((task: Task) => Task) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Yields a task as it is, and then what comes of it, until it waits for input or is over. Nothing is missed between the two, and a
 * client that comes back needs no cursor.
 */
export async function* followTask(following: Following): AsyncGenerator<StreamResponse> {
  const { conversation, event, run, stays, shorten = (whole) => whole, signal } = following;
  const after = conversation.events.length - 1;
  const { task } = await readTask(conversation, event);
  const isWaiting = task.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
  const told: StreamResponse = { payload: { $case: 'task', value: shorten(task) } };
  if (!run && (isTerminal(task) || (isWaiting && !stays))) return yield told;
  const at = await conversation.events.indexOf(event);
  const changes = stays ? turns(conversation, { after, signal }) : untilRest(conversation, { after, run, signal });
  // pieces that come before the reader asks would be missed
  const first = changes.next();
  first.catch(() => {});
  const updates = new TaskUpdates(task, at);
  let [isEnding, cursor, ended] = [false, after, endOfRuns(stays ? conversation : {})];
  try {
    yield told;
    for (let coming = first; ;) {
      // a run that ends is no change of the log, and may end after its last change was told
      const next = await abortable(coming, ended).catch((error: unknown): undefined => {
        if (!ended.aborted) throw error;
      });
      if (next?.done === true) break;
      if (next) {
        yield* updates.take(next.value, event);
        if (updates.isOver) break;
        ({ cursor } = next.value);
        coming = changes.next();
        coming.catch(() => {});
      }
      if (!stays || !(isEnding || !next || mayWait(next.value))) continue;
      ended = endOfRuns(conversation);
      const now = await readTask(conversation, event);
      isEnding = isTerminal(now.task);
      // the log may have more than was told
      if (isEnding && cursor >= now.last) break;
      if (!isEnding) yield* updates.status(now.task.status);
    }
  } finally {
    await changes.return?.(undefined);
  }
  yield* updates.status((await readTask(conversation, event)).task.status);
}

/** True if the task may wait for input, go on or be over since. */
function mayWait(change: TurnChange): boolean {
  if (change.type === 'item') return change.item.kind === 'call' && waitsForClient(change.item);
  return change.type === 'state';
}

/** The place of parts in their artifact. */
type Place = Readonly<Record<'append' | 'lastChunk', boolean>>;

/** Maps changes to updates of a task. Invariant: the parts that were told of an artifact are the beginning of it, or are replaced. */
class TaskUpdates {
  readonly #ids: TaskIds;
  #at: number | undefined;
  #told: TaskStatus | undefined;
  /** The artifact that was told in part. */
  #open: string | undefined;
  /** True if the user has said something since. */
  isOver = false;

  /** @param at the number of the message that the task answers; `undefined` while it waits for its turn */
  constructor({ id: taskId, contextId, status }: Task, at: number | undefined) {
    this.#ids = { taskId, contextId };
    this.#at = at;
    this.#told = status;
  }

  /** Returns the updates of a change. */
  take(change: TurnChange, event: string): readonly StreamResponse[] {
    if (change.type === 'item' && change.item.kind === 'message' && change.item.from === 'user') {
      if (change.item.id === event) this.#at = change.item.index;
      else if (this.#at !== undefined && change.item.index > this.#at) this.isOver = true;
    }
    if (this.#at === undefined || this.isOver) return [];
    if (change.type === 'piece') return this.#piece(change.id, change.part === 'text' ? change.text : '');
    if (change.type === 'withdrawn') return this.#withdraw(change.id);
    if (change.type === 'state' && change.status === 'running') return this.#working();
    if (change.type !== 'item') return [];
    if (change.item.kind === 'answer') return this.#answer(change.item, change.streamed.text);
    return callMessages(change.item, this.#ids).flatMap((message) => this.#working(message));
  }

  /** Returns the update to a status, unless it was told. */
  status(status: TaskStatus | undefined): readonly StreamResponse[] {
    const isSame = status?.state === this.#told?.state;
    const isNews = status?.message && status.message.messageId !== this.#told?.message?.messageId;
    if (!status || (isSame && !isNews)) return [];
    this.#told = status;
    return [{ payload: { $case: 'statusUpdate', value: { ...this.#ids, status, metadata: undefined } } }];
  }

  #working(message?: Message): readonly StreamResponse[] {
    return this.status({ state: TaskState.TASK_STATE_WORKING, message, timestamp: undefined });
  }

  /** Servers that do not tell the id of an answer have it told as a whole. */
  #piece(id: string, text: string): readonly StreamResponse[] {
    if (text === '' || id === '') return [];
    const append = this.#open === id;
    this.#open = id;
    return [this.#artifact(id, [textPart(text)], { append, lastChunk: false })];
  }

  #withdraw(id: string): readonly StreamResponse[] {
    if (this.#open !== id) return [];
    this.#open = undefined;
    return [this.#artifact(id, [textPart('')], { append: false, lastChunk: true })];
  }

  #answer({ id, text, content }: AnswerItem, streamed: number): readonly StreamResponse[] {
    const isOpen = this.#open === id;
    this.#open = undefined;
    const parts = partsOf(content);
    const isText = content.every((part) => 'text' in part);
    if (isOpen && isText)
      return [this.#artifact(id, [textPart(text.slice(streamed))], { append: true, lastChunk: true })];
    return parts.length > 0 ? [this.#artifact(id, parts, { append: false, lastChunk: true })] : [];
  }

  #artifact(id: string, parts: readonly Part[], how: Place): StreamResponse {
    const artifact = artifactOf(id, parts);
    return { payload: { $case: 'artifactUpdate', value: { ...this.#ids, artifact, ...how, metadata: undefined } } };
  }
}
