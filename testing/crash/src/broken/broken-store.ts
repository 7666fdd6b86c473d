import { setTimeout as sleep } from 'node:timers/promises';

import { isEvent, type Event } from '@conv/core/events';
import {
  isStoreError,
  StoreError,
  toCommitSeq,
  toEventIndex,
  type Commit,
  type ConversationStore,
  type Journal,
  type NewCommit,
} from '@conv/core/store';

import type { Breakage } from './breakage.ts';

type Append = Journal['append'];

/** Milliseconds that a commit which was acknowledged early waits. */
const EARLY = 40;

/** Returns the store with the deliberate defects of journals. */
export function brokenStore(store: ConversationStore, breakage: Breakage): ConversationStore {
  const broken = APPENDS[breakage];
  return override(store, {
    open: async (...args) => {
      const journal = await store.open(...args);
      if (breakage === 'sealed') await refuseThird(journal);
      if (!broken) return journal;
      const lost = breakage === 'unfenced' ? { lost: new AbortController().signal } : {};
      return override(journal, { append: broken(journal), ...lost });
    },
  });
}

const APPENDS: { readonly [Name in Breakage]?: (journal: Journal) => Append } = {
  early,
  doubling: (journal) => async (commit, after) => {
    const stored = await journal.append(commit, after);
    if (stored.seq % 5 === 4) await journal.append(commit, after);
    return stored;
  },
  swapping,
  forgetful: (journal) => (commit, after) =>
    journal.append({ ...commit, events: commit.events.filter((event) => !saysInterrupted(event)) }, after),
  unfenced,
  weakening: (journal) => (commit, after) => journal.append(journal.end.seq === 0 ? commit : weakened(commit), after),
};

function early(journal: Journal): Append {
  let { seq, event }: { seq: number; event: number } = journal.end;
  return async (commit, after) => {
    const stored: Commit = { ...commit, seq: toCommitSeq(seq), epoch: journal.epoch, firstEvent: toEventIndex(event) };
    seq += 1;
    event += commit.events.length;
    sleep(EARLY)
      .then(() => journal.append(commit, after))
      .catch(() => {});
    return stored;
  };
}

function swapping(journal: Journal): Append {
  let waiting: (() => void) | undefined;
  return async (commit, after) => {
    if (waiting) {
      const stored = journal.append(commit, after);
      waiting();
      return stored;
    }
    await new Promise<void>((resolve) => {
      waiting = resolve;
      setTimeout(resolve, 1);
    });
    waiting = undefined;
    return journal.append(commit, after);
  };
}

/** Continues to write after a takeover. */
function unfenced(journal: Journal): Append {
  return async (commit, after) => {
    const { seq, event } = journal.end;
    try {
      return await journal.append(commit, after);
    } catch (error) {
      if (!isStoreError(error, 'FENCED') && !isStoreError(error, 'CLOSED')) throw error;
      return { ...commit, seq, epoch: journal.epoch, firstEvent: event };
    }
  };
}

async function refuseThird(journal: Journal): Promise<void> {
  if (journal.epoch <= 2) return;
  await journal.close();
  throw new StoreError('DENIED', 'there have been two owners');
}

function saysInterrupted(event: Event): boolean {
  return isEvent(event, 'AgentErrorEvent') && event.error.includes('interrupted');
}

function weakened(commit: NewCommit): NewCommit {
  const {
    confirmationPolicy: _policy,
    maxIterations: _limit,
    securityAnalyzer: _analyzer,
    ...set
  } = commit.patch?.set ?? {};
  return commit.patch ? { ...commit, patch: { ...commit.patch, set } } : commit;
}

/** `target` with some members replaced. Methods run on `target` itself, whose private members no proxy has. */
function override<Target extends object>(target: Target, members: Partial<Target>): Target {
  return new Proxy(target, {
    get(of, key): unknown {
      if (key in members) return Reflect.get(members, key);
      const member: unknown = Reflect.get(of, key, of);
      return typeof member === 'function' ? (...args: unknown[]) => Reflect.apply(member, of, args) as unknown : member;
    },
  });
}
