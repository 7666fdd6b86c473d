import { checks, type StateFields } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import type { CommitSeq, ConversationStore, Journal, StoreFeatures } from '@conv/core/store';
import type { ConformanceCase } from '../conformance-case.ts';
import { DEFAULT_TIMEOUT, within } from '../wait-timeout.ts';
import { Author } from './author.ts';

/** A store on a backend of its own, empty when it is made. */
export interface StoreUnderTest {
  readonly store: ConversationStore;
  /** Another store object on the same backend, as another process would have; the same one when `features.shared` is false. */
  readonly again: () => Promise<ConversationStore>;
  /**
   * Takes a conversation over although its owner lives, as happens to a process that stalls longer than its lease.
   * Resolves with the new owner's journal. Left out where the harness has no way to do this.
   */
  readonly takeOver?: ((id: string) => Promise<Journal>) | undefined;
  /**
   * Damages the stored record of a commit, so that it does not read back. The first store object is closed before. Left
   * out where nothing can be damaged without the store.
   */
  readonly damageRecord?: ((id: string, seq: CommitSeq) => Promise<void>) | undefined;
  /**
   * Puts the stored log of each of two conversations in the place of the other's, with everything that is moved together with a log, as
   * a restore to the wrong place does. A second call puts both back. No store object is open. Left out where nothing can be moved without
   * the store.
   */
  readonly swapLogs?: ((one: string, other: string) => Promise<void>) | undefined;
  /**
   * Makes the backend execute the next write of a commit and lose its answer. `cut`: the store gets an error. `sentTwice`: the
   * store's client sends the request again, and the store gets the answer to the second one. Left out where neither can happen.
   */
  readonly loseAnswer?: ((how: 'cut' | 'sentTwice') => void) | undefined;
  /**
   * Makes the backend hold the next write of a commit back: the store gets an error for it, as from a client that has waited long
   * enough. The returned function lets the backend execute the write. Left out where a failed write cannot arrive later.
   */
  readonly delayWrite?: (() => () => Promise<void>) | undefined;
  /**
   * Makes the backend unreachable for all store objects, so that their requests reject `UNAVAILABLE`. Resolves with a
   * function that makes it reachable again. Left out where the harness has no way to do this.
   */
  readonly goAway?: (() => Promise<() => Promise<void>>) | undefined;
  /** Counts the requests to the backend so far, over all store objects. Left out where they cannot be counted. */
  readonly requests?: (() => number) | undefined;
  /** Closes what is open and removes the backend. */
  readonly dispose: () => Promise<void>;
}

/** The features that decide which cases apply to a store. */
export interface StoreSuiteFeatures extends StoreFeatures {
  /** The harness has {@link StoreUnderTest.takeOver}. */
  readonly takeOver: boolean;
  /** The harness has {@link StoreUnderTest.damageRecord}. Default `false`. */
  readonly damageRecord?: boolean;
  /** The harness has {@link StoreUnderTest.swapLogs}. Default `false`. */
  readonly swapLogs?: boolean;
  /** The harness has {@link StoreUnderTest.loseAnswer}. Default `false`. */
  readonly loseAnswer?: boolean;
  /** The harness has {@link StoreUnderTest.delayWrite}. Default `false`. */
  readonly delayWrite?: boolean;
  /** The harness has {@link StoreUnderTest.goAway}. Default `false`. */
  readonly goAway?: boolean;
  /** The harness has {@link StoreUnderTest.requests}. Default `false`. */
  readonly requests?: boolean;
}

/** Reads from a harness which cases apply to its store. */
export function suiteFeatures(under: StoreUnderTest): StoreSuiteFeatures {
  if (typeof under?.store?.features !== 'object')
    throw new TypeError(checks.wrongValue('suiteFeatures: under', 'an object with a store', under));
  return {
    ...under.store.features,
    takeOver: under.takeOver !== undefined,
    damageRecord: under.damageRecord !== undefined,
    swapLogs: under.swapLogs !== undefined,
    loseAnswer: under.loseAnswer !== undefined,
    delayWrite: under.delayWrite !== undefined,
    goAway: under.goAway !== undefined,
    requests: under.requests !== undefined,
  };
}

/** The context of a case of the store suite. */
export interface StoreSuiteContext {
  /** Makes a store on a backend of its own, with nothing in it. */
  readonly make: () => Promise<StoreUnderTest>;
  /** Milliseconds to wait for what must come. Default 4000. */
  readonly waitTimeout?: number;
  /** Gives the case its times, timers and ids, such as those of a simulation. Default: the platform of the host. */
  readonly platform?: Platform;
}

/** A behaviour of every store. */
export type StoreConformanceCase = ConformanceCase<StoreSuiteFeatures, StoreSuiteContext>;

/** A store under test, authors who write into it, and a wait with a time limit. */
export interface StoreBench extends StoreUnderTest {
  readonly platform: Platform;
  /** Makes a conversation in the store and writes its first commit. */
  readonly begin: (fields?: Partial<StateFields>) => Promise<Author>;
  /** Waits for a promise that must resolve within the waitTimeout of the context. */
  readonly patiently: <T>(what: string, promise: Promise<T>) => Promise<T>;
}

/** Makes a case that runs on one store and disposes of it afterwards. */
export function storeCase(
  name: string,
  run: (bench: StoreBench) => Promise<void>,
  when?: (features: StoreSuiteFeatures) => boolean,
): StoreConformanceCase {
  return {
    name,
    when,
    run: async ({ make, waitTimeout = DEFAULT_TIMEOUT, platform = systemPlatform }) => {
      const under = await make();
      try {
        await run({
          store: under.store,
          again: () => under.again(),
          takeOver: under.takeOver?.bind(under),
          damageRecord: under.damageRecord?.bind(under),
          swapLogs: under.swapLogs?.bind(under),
          loseAnswer: under.loseAnswer?.bind(under),
          delayWrite: under.delayWrite?.bind(under),
          goAway: under.goAway?.bind(under),
          requests: under.requests?.bind(under),
          dispose: () => under.dispose(),
          platform,
          begin: (fields) => Author.begin(platform, under.store, fields),
          patiently: (what, promise) => within(platform, waitTimeout, what, promise),
        });
      } finally {
        await under.dispose();
      }
    },
  };
}
