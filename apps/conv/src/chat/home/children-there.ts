import { setTimeout as delay } from 'node:timers/promises';

import { type Conversation, isConversationError, type StateFields } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import { type ChildListener, ChildWatch } from '../session/child-news.ts';

/** Milliseconds between two looks for a sub-agent that is named and not there yet. */
const PAUSE = 200;

/** Ends the following of a sub-agent; `isOver` is true if its conversation on the server has come to its end. */
type EndOfFollowing = (isOver: boolean) => Promise<void>;

/** A sub-agent that is followed. */
interface Followed {
  /** Aborted when it no longer works. */
  readonly left: AbortController;
  /** Resolves with its end when it is followed; `undefined` if it cannot be. */
  readonly end: Promise<EndOfFollowing | undefined>;
}

/** States in which a sub-agent does nothing more. */
const ENDS: readonly string[] = ['finished', 'error', 'stuck'];

/**
 * Follows the sub-agents of a conversation on a server: its state names those at work, and each is a conversation of the same
 * server. `open` opens a conversation for reading. Returns a function that ends the watch. A server that does not name them is not
 * followed, and neither is a sub-agent that cannot be read: the result of its task is shown in any case.
 */
export function followChildrenThere(
  conversation: Conversation,
  open: (id: string) => Promise<Conversation>,
  listener: ChildListener,
): () => void {
  const followed = new Map<string, Followed>();
  const over = new AbortController();
  const look = (state: StateFields): void => {
    const atWork = atWorkIn(state);
    for (const id of atWork) {
      if (followed.has(id)) continue;
      const left = new AbortController();
      followed.set(id, { left, end: follow(() => openMade(() => open(id), left.signal, over.signal), listener) });
    }
    for (const id of followed.keys()) if (!atWork.has(id)) leave(id, true);
  };
  const leave = (id: string, isOver: boolean): void => {
    followed.get(id)?.left.abort();
    void followed.get(id)?.end.then((end) => end?.(isOver));
    followed.delete(id);
  };
  look(conversation.state);
  const subscription = conversation.subscribe({ onStateChange: look });
  return () => {
    subscription.unsubscribe();
    over.abort();
    for (const id of followed.keys()) leave(id, false);
  };
}

/**
 * Opens the conversation of a sub-agent. The state of its parent names it before it is made, so a missing conversation is looked for again:
 * once more after it was `left`, and no more when the following is `over`.
 */
async function openMade(
  open: () => Promise<Conversation>,
  left: AbortSignal,
  over: AbortSignal,
): Promise<Conversation> {
  for (;;) {
    const isLast = left.aborted;
    try {
      return await open();
    } catch (error) {
      if (isLast || over.aborted || !isConversationError(error) || error.code !== 'NOT_FOUND') throw error;
      await delay(PAUSE, undefined, { signal: left, ref: false }).catch(() => undefined);
      if (over.aborted) throw error;
    }
  }
}

async function follow(open: () => Promise<Conversation>, listener: ChildListener): Promise<EndOfFollowing | undefined> {
  try {
    const child = await open();
    const { id, title, tags } = child.state;
    const watch = new ChildWatch({ id, title, tags }, listener);
    watch.initialize(child.state);
    const subscription = child.subscribe(watch, { from: 0 as never });
    return async (isOver) => {
      const told = child.events.length;
      await subscription.caughtUp(told as never);
      watch.onStateChange(child.state);
      // the parent's socket may tell of the end before the child's own socket does
      if (isOver && !ENDS.includes(child.state.executionStatus)) await tellRest(watch, told, () => open());
      watch.close();
      await child.close().catch(() => undefined);
    };
  } catch {
    return undefined;
  }
}

/** Tells the events from a number on, and the state behind them, as the server has them now; nothing if it cannot be asked. */
async function tellRest(watch: ChildWatch, from: number, open: () => Promise<Conversation>): Promise<void> {
  try {
    await using child = await open();
    await child.subscribe(watch, { from: from as never }).caughtUp(child.events.length as never);
    watch.onStateChange(child.state);
  } catch {
    // the end is told with what came
  }
}

function atWorkIn({ id, agentState }: StateFields): ReadonlySet<string> {
  const { children_at_work: noted } = agentState;
  if (!isJsonObject(noted) || noted['parent'] !== id || !isJsonObject(noted['calls'])) return new Set();
  return new Set(Object.keys(noted['calls']));
}
