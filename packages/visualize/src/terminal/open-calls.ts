import { eventGuards, type Event, isEvent } from '@conv/core/events';
import { elapsed } from '../text/amounts.ts';
import { callContent, callTitle } from '../timeline/call-content.ts';

/** A call without a result, as far as the visualizer has seen. */
export interface OpenCall {
  readonly actionId: string;
  readonly toolName: string;
  readonly title: string;
  readonly since: string;
}

/** A call that has its result. */
export interface AnsweredCall extends OpenCall {
  /** Milliseconds from call to result, if both timestamps are valid. */
  readonly took: number | undefined;
}

/** Maximum number of tracked calls, more than any batch, so that calls without a result do not pile up. */
const MOST_CALLS = 1000;

/** Tracks calls that wait for their result, to find the call of a result and its duration. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  get count(): number {
    return this.#calls.size;
  }

  get oldest(): OpenCall | undefined {
    return this.#calls.values().next().value;
  }

  /** Takes an event. Notes a call; returns the answered call for a result. */
  follow(event: Event): AnsweredCall | undefined {
    if (isEvent(event, 'ActionEvent')) {
      const { id: actionId, timestamp: since, tool_name: toolName, tool_call_id: callId } = event;
      this.#calls.delete(callId);
      this.#calls.set(callId, { actionId, toolName, title: callTitle(callContent(event)), since });
      const [oldest] = this.#calls.keys();
      if (this.#calls.size > MOST_CALLS && oldest !== undefined) this.#calls.delete(oldest);
      return undefined;
    }
    if (!eventGuards.isObservationLike(event)) return undefined;
    const call = this.#calls.get(event.tool_call_id);
    this.#calls.delete(event.tool_call_id);
    return call === undefined ? undefined : { ...call, took: elapsed(call.since, event.timestamp) };
  }
}
