import { eventGuards, isEvent, type Event } from '@conv/core/events';
import type { CallRecord, Commit } from '@conv/core/store';

/** A request of a model. */
export interface ReportedStep {
  /** The number of the event at its commit. */
  readonly event: number;
  readonly record: CallRecord;
}

/** The calls of a tool. */
export interface ReportedTool {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
  /** Milliseconds from calls to results, waits for approval included. */
  readonly total: number;
  readonly longest: number;
}

/** A time in which the agent waited for a person. */
export interface ReportedWait {
  /** The number of the event that ended it. */
  readonly event: number;
  readonly kind: 'message' | 'approval';
  /** Milliseconds. */
  readonly took: number;
}

/** The figures of a part of a log. */
export interface RunReport {
  readonly events: number;
  readonly steps: readonly ReportedStep[];
  readonly tools: readonly ReportedTool[];
  readonly waits: readonly ReportedWait[];
  readonly hooks: readonly { readonly name: string; readonly runs: number; readonly blocked: number }[];
  /** Ids of the child conversations, in the order of their results. */
  readonly children: readonly string[];
}

/** Collects the report of a run from its commits, one after the other. It keeps numbers and no event. */
export class RunReporter {
  #events = 0;
  readonly #steps: ReportedStep[] = [];
  readonly #tools = new Map<string, ReportedTool>();
  readonly #waits: ReportedWait[] = [];
  readonly #hooks = new Map<string, { name: string; runs: number; blocked: number }>();
  readonly #children = new Set<string>();
  readonly #open = new Map<string, { readonly tool: string; readonly at: number }>();
  #last: number | undefined;
  #waitsSince: number | undefined;

  /** The report of all commits so far. */
  get report(): RunReport {
    const tools = [...this.#tools.values()].toSorted((one, other) => other.total - one.total);
    return {
      events: this.#events,
      steps: [...this.#steps],
      tools,
      waits: [...this.#waits],
      hooks: [...this.#hooks.values()],
      children: [...this.#children],
    };
  }

  /** Takes in the next commit. */
  add({ events, firstEvent, records = [], patch }: Pick<Commit, 'events' | 'firstEvent' | 'records' | 'patch'>): void {
    for (const [offset, event] of events.entries()) this.#event(event, firstEvent + offset);
    for (const record of records) this.#steps.push({ event: firstEvent + Math.max(0, events.length - 1), record });
    const status = patch?.set?.executionStatus;
    if (status === 'waiting_for_confirmation') this.#waitsSince = this.#last;
  }

  #event(event: Event, index: number): void {
    const at = Date.parse(`${event.timestamp}Z`);
    this.#events += 1;
    if (this.#waitsSince !== undefined && at >= this.#waitsSince && event.source !== 'agent')
      this.#wait({ event: index, kind: 'approval', took: at - this.#waitsSince });
    else if (isEvent(event, 'MessageEvent') && event.source === 'user' && this.#last !== undefined && at > this.#last)
      this.#wait({ event: index, kind: 'message', took: at - this.#last });
    if (isEvent(event, 'ActionEvent')) this.#open.set(event.tool_call_id, { tool: event.tool_name, at });
    else if (eventGuards.isKnownEvent(event) && eventGuards.isObservationLike(event)) this.#result(event, at);
    else if (isEvent(event, 'HookExecutionEvent')) this.#hook(event.hook_event_type, event.blocked === true);
    if (!Number.isNaN(at)) this.#last = at;
  }

  #wait(wait: ReportedWait): void {
    this.#waits.push(wait);
    this.#waitsSince = undefined;
  }

  #result(event: Extract<Event, { readonly tool_call_id: string; readonly tool_name: string }>, at: number): void {
    const call = this.#open.get(event.tool_call_id);
    this.#open.delete(event.tool_call_id);
    const name = event.tool_name;
    const { calls = 0, failed = 0, total = 0, longest = 0 } = this.#tools.get(name) ?? {};
    const took = call ? Math.max(0, at - call.at) : 0;
    const isFailure = event.kind !== 'ObservationEvent' || hasFailed(event);
    this.#tools.set(name, {
      name,
      calls: calls + 1,
      failed: failed + (isFailure ? 1 : 0),
      total: total + took,
      longest: Math.max(longest, took),
    });
    const child = childOf(event);
    if (child !== undefined) this.#children.add(child);
  }

  #hook(name: string, isBlocked: boolean): void {
    const { runs = 0, blocked = 0 } = this.#hooks.get(name) ?? {};
    this.#hooks.set(name, { name, runs: runs + 1, blocked: blocked + (isBlocked ? 1 : 0) });
  }
}

function hasFailed(event: Event): boolean {
  if (!isEvent(event, 'ObservationEvent')) return false;
  const { observation } = event;
  return observation.is_error === true || ('exit_code' in observation && Number(observation.exit_code) > 0);
}

function childOf(event: Event): string | undefined {
  if (!isEvent(event, 'ObservationEvent') || !('task_id' in event.observation)) return undefined;
  return typeof event.observation.task_id === 'string' ? event.observation.task_id : undefined;
}
