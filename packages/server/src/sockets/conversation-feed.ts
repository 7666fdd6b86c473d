import type { AnswerDelta, StateFields, Subscription } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Platform } from '@conv/core/platform';

import type { LiveConversation } from '../hosting/live-conversation.ts';
import { AnswerItems, type ItemPiece } from './answer-items.ts';
import { EventFrames, type ControlFrames, type TransientFrames } from './event-frames.ts';
import { OutputFrames } from './output-frames.ts';
import { ShortRuns } from './short-runs.ts';
import { changeFrames, fullStateFrames } from './state-frames.ts';

/** A socket of a conversation. Every call returns at once. */
export interface FeedListener {
  /** Takes the next event of the log. */
  event(frames: EventFrames): void;
  /** Takes a changed member of the state. */
  change(frames: TransientFrames): void;
  /** Takes the whole state. */
  snapshot(frames: TransientFrames): void;
  /** Takes the whole state once more, for clients that may have missed the end of a run. */
  snapshotAgain(frames: TransientFrames): void;
  /** Takes a piece of an answer; `item` is set only if the answer was followed from its beginning. */
  piece(delta: AnswerDelta, item: ItemPiece | undefined): void;
  /** Reports that an answer was aborted. */
  aborted(eventId: string, reason: 'cancelled' | 'failed'): void;
  /** Takes a piece of the output of a running tool. */
  output(frames: ControlFrames): void;
  /** Learns that the conversation can no longer be followed, and the reason. */
  ended(reason: unknown): void;
  /** True if the listener currently shows pieces of answers. */
  readonly wantsPieces: boolean;
}

/**
 * The events and state of one conversation, for all of its sockets. The conversation is followed once, every frame is encoded
 * once, and the feed waits for no socket. Frames come in log order.
 */
export class ConversationFeed {
  readonly conversation: LiveConversation;
  readonly platform: Platform;
  readonly #listeners = new Set<FeedListener>();
  readonly #items = new AnswerItems();
  readonly #output: OutputFrames;
  readonly #shortRuns: ShortRuns;
  readonly #subscription: Subscription;
  readonly #leaveEnding: () => void;
  #pieces: Subscription | undefined;
  #position: number;

  constructor(conversation: LiveConversation, platform: Platform, onError: (error: unknown) => void) {
    this.conversation = conversation;
    this.platform = platform;
    this.#output = new OutputFrames(platform, (frames) => {
      for (const listener of this.#listeners) listener.output(frames);
    });
    this.#shortRuns = new ShortRuns(platform, () => this.#snapshotAgain());
    this.#position = conversation.events.length;
    this.#subscription = conversation.subscribe({
      onEvent: (event, index) => this.#event(event, index),
      onStateChange: (state, before) => this.#change(state, before),
      onSnapshot: (state) => this.#snapshot(state),
      onError,
    });
    // one listener for all sockets, which are many
    this.#leaveEnding = conversation.ending.whenOver(() => this.#ended());
  }

  /** The number of the next event that listeners get. */
  get position(): number {
    return this.#position;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Returns the current state as a whole. */
  fullState(): TransientFrames {
    return fullStateFrames(this.platform, this.conversation.fields);
  }

  /** Adds a listener, which gets everything from now on. */
  add(listener: FeedListener): void {
    const { ending } = this.conversation;
    this.#listeners.add(listener);
    if (ending.isOver) listener.ended(ending.reason);
    else this.lookAgain();
  }

  remove(listener: FeedListener): void {
    if (this.#listeners.delete(listener)) this.lookAgain();
  }

  close(): void {
    this.#leaveEnding();
    this.#subscription.unsubscribe();
    this.#pieces?.unsubscribe();
    this.#output.close();
    this.#shortRuns.close();
    this.#listeners.clear();
  }

  /**
   * Subscribes to pieces or leaves them when a listener's `wantsPieces` changed, because a model streams only while a client
   * shows pieces.
   */
  lookAgain(): void {
    const wanted = [...this.#listeners].some(({ wantsPieces }) => wantsPieces);
    if (wanted === (this.#pieces !== undefined)) return;
    this.#pieces?.unsubscribe();
    this.#pieces = wanted ? this.#subscribeToPieces() : undefined;
  }

  #ended(): void {
    for (const listener of this.#listeners) listener.ended(this.conversation.ending.reason);
  }

  #subscribeToPieces(): Subscription {
    return this.conversation.subscribe({
      onToken: (delta) => this.#piece(delta),
      onOutput: (output) => this.#output.take(output),
      onAnswerAborted: (eventId, reason) => this.#aborted(eventId, reason),
    });
  }

  #event(event: Event, index: number): void {
    this.#position = index + 1;
    if (this.#listeners.size === 0) return;
    this.#items.end(event.id);
    if ('tool_call_id' in event && typeof event.tool_call_id === 'string') this.#output.end(event.tool_call_id);
    const frames = new EventFrames(event, index);
    for (const listener of this.#listeners) listener.event(frames);
  }

  #change(state: StateFields, before: StateFields): void {
    this.#shortRuns.change(state, before);
    if (this.#listeners.size === 0) return;
    const frames = changeFrames(this.platform, state, before);
    for (const listener of this.#listeners) for (const frame of frames) listener.change(frame);
    if (state.agent !== before.agent) this.lookAgain();
  }

  #snapshot(state: StateFields): void {
    if (this.#listeners.size === 0) return;
    const frames = fullStateFrames(this.platform, state);
    for (const listener of this.#listeners) listener.snapshot(frames);
    this.#shortRuns.shown(state);
  }

  #snapshotAgain(): void {
    const frames = this.fullState();
    for (const listener of this.#listeners) listener.snapshotAgain(frames);
  }

  #piece(delta: AnswerDelta): void {
    const anchor = this.#position === 0 ? null : this.#position - 1;
    const item = this.#items.piece(delta, anchor);
    for (const listener of this.#listeners) listener.piece(delta, item);
  }

  #aborted(eventId: string, reason: 'cancelled' | 'failed'): void {
    this.#items.end(eventId);
    for (const listener of this.#listeners) listener.aborted(eventId, reason);
  }
}
