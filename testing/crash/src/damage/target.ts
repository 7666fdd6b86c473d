import type { StateFields } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Commit, ConversationStore } from '@conv/core/store';
import type { Random, StoreKind } from '@conv/testing-harness';

/** A change to data at rest. */
export interface Harm {
  /** The file, object or row, by a name of the target's. */
  readonly unit: string;
  /** A bit to flip, the place where the unit is cut off, or the loss of the unit. */
  readonly change: { readonly flip: number; readonly bit: number } | { readonly cut: number } | { readonly gone: true };
}

/** Acknowledged data of a recorded conversation. */
export interface Life {
  readonly id: string;
  readonly commits: readonly Commit[];
  readonly fields: StateFields;
  /** The view that a model would get. */
  readonly view: readonly Event[];
}

/** The stored bytes of a conversation at one moment, and what they hold. */
export interface Recording {
  /** The way in which its last owner ended. */
  readonly name: string;
  readonly life: Life;
  /** Every unit that can be harmed. */
  readonly units: ReadonlyMap<string, Buffer>;
  /** True if units are also taken away. */
  readonly losesUnits?: boolean;
}

/** A store that can be harmed. Another kind of store is another target. */
export interface DamageTarget {
  readonly kind: StoreKind;
  /** Conversations that were closed in order, killed and taken over. */
  record(random: Random): Promise<readonly Recording[]>;
  /** Returns a store on these bytes, each call on fresh ones. */
  restore(recording: Recording, harms: readonly Harm[]): Promise<ConversationStore>;
  /**
   * The commits that the harms destroy and whose existence another byte proves. Computed from the recorded bytes alone, without the
   * code under test.
   */
  provenLost(recording: Recording, harms: readonly Harm[]): ReadonlySet<number>;
  /** All commits that the harms destroy. */
  destroyed(recording: Recording, harms: readonly Harm[]): ReadonlySet<number>;
  dispose(): Promise<void>;
}
