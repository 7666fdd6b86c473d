import type { ExecutionStatus, StateFields } from '@conv/core';
import { type Event, isEvent, type Json } from '@conv/core/events';
import type { Platform } from '@conv/core/platform';
import { elapsed } from '../text/amounts.ts';
import type { Block } from './block.ts';
import { runBlock } from './run-block.ts';
import { Spending } from './spending.ts';

/**
 * The current run: its status, its start and its cost. The state is the source. Without a state, as in a replay of a folder
 * that the Python reference wrote, the state updates among the events are the source.
 */
export class RunWatch {
  readonly spending: Spending = new Spending();
  readonly #platform: Pick<Platform, 'monotonic'>;
  /** True if the state is the source, not the events. Says nothing about the run. */
  #hasState = false;
  #running = false;
  #since = 0;
  #sinceEvent = '';

  constructor(platform: Pick<Platform, 'monotonic'>) {
    this.#platform = platform;
  }

  get running(): boolean {
    return this.#running;
  }

  /** Milliseconds since the run began. */
  get elapsed(): number {
    return this.#platform.monotonic() - this.#since;
  }

  initialize(state: StateFields): void {
    this.#hasState = true;
    this.spending.startAt(state.stats);
    this.#follow(state.executionStatus, '');
  }

  /** Returns the block for the end of a run, if this state ends one. */
  onState(state: StateFields, openCalls: number): Block | undefined {
    this.#hasState = true;
    this.spending.update(state.stats);
    return this.#follow(state.executionStatus, '', openCalls);
  }

  /** As {@link onState}, for a state update among the events; `other` for an event that does not concern runs and costs. */
  onEvent(event: Event, openCalls: number): Block | undefined | 'other' {
    if (!isEvent(event, 'ConversationStateUpdateEvent')) return 'other';
    if (event.key === 'last_user_message_id') return undefined;
    if (event.key === 'stats') {
      if (!this.#hasState) this.spending.updateFromWire(event.value);
      return undefined;
    }
    if (event.key !== 'execution_status') return 'other';
    return this.#hasState ? undefined : this.#follow(statusOf(event.value), event.timestamp, openCalls);
  }

  #follow(status: ExecutionStatus, timestamp: string, openCalls = 0): Block | undefined {
    const wasRunning = this.#running;
    this.#running = status === 'running';
    if (this.#running === wasRunning) return undefined;
    if (this.#running) {
      this.#since = this.#platform.monotonic();
      this.#sinceEvent = timestamp;
      this.spending.startRun();
      return undefined;
    }
    const took = timestamp === '' ? this.elapsed : elapsed(this.#sinceEvent, timestamp);
    // The block at the end of a run shows its cost, so the next block must not show it again.
    this.spending.takeNew();
    return runBlock(status, took ?? this.elapsed, this.spending.inRun, openCalls);
  }
}

function statusOf(value: Json | undefined): ExecutionStatus {
  return typeof value === 'string' ? (value as ExecutionStatus) : 'idle';
}
