import { isEvent, type ActionEvent, type Event, type EventOfKind } from '../../events/index.ts';
import { isLlmConvertible, isObservationLike } from '../../events/guards.ts';

/**
 * The events of a branch that a model may see, with condensations applied. Built event by event; {@link modelEvents} makes
 * from it what a model is asked with. The same events give the same view, whether they were folded at once or as they came.
 */
export interface View {
  readonly events: readonly Event[];
  /** True if a condensation is requested and has not been made yet. */
  readonly condensationRequested: boolean;
  /** The run of reasoning that an event belongs to, by its id: events of one run are forgotten together. */
  readonly loops: ReadonlyMap<string, number>;
}

/** Ids of events that are forgotten together. */
export type Unit = ReadonlySet<string>;

/** A fold in numbers and ids; with the events that it names it can be continued. */
export interface ViewMarks {
  readonly events: readonly string[];
  readonly requested: boolean;
  /** Positions of events, and the run of reasoning that each belongs to. */
  readonly loops: readonly (readonly [number, number])[];
  readonly loop: number | null;
  readonly lastLoop: number;
}

/**
 * Folds the events of a branch into a view. Appends to one array, so that a step costs only its own events, and holds no event
 * that a condensation forgot.
 */
export class ViewFold {
  #events: Event[] = [];
  #requested = false;
  /** The run of reasoning that an event of the view belongs to, by its id. */
  readonly #loops = new Map<string, number>();
  #loop: number | undefined;
  #lastLoop = 0;

  /** Restores the fold that had these marks; `events` are the events that they name. */
  static restore(events: readonly Event[], { requested, loops, loop, lastLoop }: ViewMarks): ViewFold {
    const fold = new ViewFold();
    fold.#events = [...events];
    fold.#requested = requested;
    for (const [position, number] of loops) fold.#loops.set(events[position]?.id ?? '', number);
    fold.#loop = loop ?? undefined;
    fold.#lastLoop = lastLoop;
    return fold;
  }

  get marks(): ViewMarks {
    const loops = this.#events.flatMap(({ id }, position): (readonly [number, number])[] => {
      const loop = this.#loops.get(id);
      return loop === undefined ? [] : [[position, loop]];
    });
    const events = this.#events.map(({ id }) => id);
    return { events, requested: this.#requested, loops, loop: this.#loop ?? null, lastLoop: this.#lastLoop };
  }

  /** The number of events in the view. */
  get size(): number {
    return this.#events.length;
  }

  /** Returns the view so far. A snapshot: later events do not show in it. */
  get view(): View {
    return { events: [...this.#events], condensationRequested: this.#requested, loops: new Map(this.#loops) };
  }

  /** Adds the next event of the branch. */
  apply(event: Event): void {
    this.#followLoop(event);
    if (isEvent(event, 'CondensationRequest')) this.#requested = true;
    else if (isEvent(event, 'Condensation')) this.#condense(event);
    else if (isLlmConvertible(event)) this.#events.push(event);
  }

  /** A loop begins with an action that carries reasoning and continues over actions and results; any other event ends it. */
  #followLoop(event: Event): void {
    if (isEvent(event, 'ActionEvent') && (event.thinking_blocks?.length ?? 0) > 0) this.#loop = ++this.#lastLoop;
    else if (!isEvent(event, 'ActionEvent') && !isObservationLike(event)) this.#loop = undefined;
    if (this.#loop !== undefined) this.#loops.set(event.id, this.#loop);
  }

  #condense(event: EventOfKind<'Condensation'>): void {
    const forgotten = withWholeUnits(wholeUnits(this.#events, this.#loops), new Set(event.forgotten_event_ids ?? []));
    this.#events = this.#events.filter(({ id }) => !forgotten.has(id));
    for (const id of forgotten) this.#loops.delete(id);
    this.#requested = false;
    const { summary_offset: offset } = event;
    const summary = summaryOf(event);
    if (summary && offset !== undefined && offset !== null) this.#events.splice(offset, 0, summary);
  }
}

/** Returns the summary that replaces the events that a condensation forgot; `undefined` without a summary. */
export function summaryOf({ id, timestamp, source, summary }: EventOfKind<'Condensation'>): Event | undefined {
  if (summary === undefined || summary === null) return undefined;
  return { id: `${id}${SUMMARY}`, timestamp, source, summary, kind: 'CondensationSummaryEvent' };
}

/** The suffix of the id of a summary, after the id of its condensation. */
export const SUMMARY = '-summary';

/**
 * Returns the events to ask a model with: one result for each call (the first), no result without its call, no batch with a
 * call that has no result yet (P5). A batch is the calls of one model response.
 */
export function modelEvents(view: View): readonly Event[] {
  if (isInOrder(view.events)) return withPromptFirst(view.events);
  const { actionOf, unanswered } = pairCalls(view.events);
  const openBatches = new Set(unanswered.map((action) => action.llm_response_id));
  const shown = view.events.filter((event) => {
    if (isEvent(event, 'ActionEvent')) return !openBatches.has(event.llm_response_id);
    if (!isObservationLike(event)) return true;
    const action = actionOf.get(event.id);
    return action !== undefined && !openBatches.has(action.llm_response_id);
  });
  return withPromptFirst(withLateResults(shown, actionOf));
}

/** True if each batch of a view has all of its results, directly behind their calls: then a model sees the events as they are. */
function isInOrder(events: readonly Event[]): boolean {
  const open: ActionEvent[] = [];
  for (const event of events) {
    if (isEvent(event, 'ActionEvent')) {
      if (open[0] && open[0].llm_response_id !== event.llm_response_id) return false;
      open.push(event);
    } else if (isObservationLike(event)) {
      const answered = open.findIndex(({ tool_call_id: call }) => call === event.tool_call_id);
      const named = 'action_id' in event ? open.findIndex(({ id }) => id === event.action_id) : -1;
      if (named === -1 && answered === -1) return false;
      open.splice(named === -1 ? answered : named, 1);
    } else if (open.length > 0) return false;
  }
  return open.length === 0;
}

/** Moves a system prompt that was repeated, because the first one was lost, to the place where models expect it. */
function withPromptFirst(events: readonly Event[]): readonly Event[] {
  const at = events.findIndex((event) => isEvent(event, 'SystemPromptEvent'));
  if (at <= 0) return events;
  return [events[at] as Event, ...events.slice(0, at), ...events.slice(at + 1)];
}

/** Moves a result that was stored after other events, because the first one was lost, directly after its batch. */
function withLateResults(events: readonly Event[], actionOf: ReadonlyMap<string, ActionEvent>): readonly Event[] {
  const late = new Map<string, Event[]>();
  let batch: string | undefined;
  for (const event of events) {
    const response = batchOf(event, actionOf);
    if (!isObservationLike(event)) batch = response;
    else if (response !== undefined && response !== batch) late.set(response, [...(late.get(response) ?? []), event]);
  }
  if (late.size === 0) return events;
  const moved = new Set([...late.values()].flat());
  const kept = events.filter((event) => !moved.has(event));
  // A summary may lie inside a batch, which only its last event ends.
  const ends = new Map(kept.map((event) => [batchOf(event, actionOf), event]));
  return kept.flatMap((event) => {
    const response = batchOf(event, actionOf);
    const isEnd = response !== undefined && ends.get(response) === event;
    return isEnd ? [event, ...(late.get(response) ?? [])] : [event];
  });
}

function batchOf(event: Event, actionOf: ReadonlyMap<string, ActionEvent>): string | undefined {
  return isEvent(event, 'ActionEvent') ? event.llm_response_id : actionOf.get(event.id)?.llm_response_id;
}

/**
 * Returns the ids that are forgotten together, each id once: batches with their results, and runs of reasoning. Batches and runs
 * with an event in common are one unit.
 */
export function wholeUnits(events: readonly Event[], loops: ReadonlyMap<string, number>): readonly Unit[] {
  const unitOf = new Map<string, Set<string>>();
  for (const group of [...batches(events), ...groups(events, ({ id }) => loops.get(id))]) {
    const unit = new Set(group);
    for (const joined of new Set(group.map((id) => unitOf.get(id)))) for (const id of joined ?? []) unit.add(id);
    for (const id of unit) unitOf.set(id, unit);
  }
  return [...new Set(unitOf.values())];
}

/** Pairs each result with its action, by action id or else by tool call id. Later results of an answered call answer none. */
export function pairCalls(events: readonly Event[]): {
  readonly actionOf: ReadonlyMap<string, ActionEvent>;
  readonly unanswered: readonly ActionEvent[];
} {
  const open = new Map<string, ActionEvent>();
  const actionOf = new Map<string, ActionEvent>();
  for (const event of events) {
    if (isEvent(event, 'ActionEvent')) open.set(event.id, event);
    if (!isObservationLike(event)) continue;
    const named = 'action_id' in event ? open.get(event.action_id) : undefined;
    const action = named ?? [...open.values()].find(({ tool_call_id }) => tool_call_id === event.tool_call_id);
    if (!action) continue;
    open.delete(action.id);
    actionOf.set(event.id, action);
  }
  return { actionOf, unanswered: [...open.values()] };
}

/** Returns `forgotten` widened to whole units, which providers refuse in part. */
function withWholeUnits(units: readonly Unit[], forgotten: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set(forgotten);
  for (const unit of units) if ([...unit].some((id) => forgotten.has(id))) for (const id of unit) all.add(id);
  return all;
}

function batches(events: readonly Event[]): readonly (readonly string[])[] {
  const responseOf = new Map<string, string>();
  return groups(events, (event) => {
    if (isEvent(event, 'ActionEvent')) responseOf.set(event.tool_call_id, event.llm_response_id);
    else if (!isObservationLike(event)) return undefined;
    return responseOf.get(event.tool_call_id);
  });
}

/** Returns the ids of the events by their key; events without a key are left out. */
function groups(events: readonly Event[], keyOf: (event: Event) => unknown): readonly (readonly string[])[] {
  const grouped = Map.groupBy(events, keyOf);
  grouped.delete(undefined);
  return [...grouped.values()].map((group) => group.map(({ id }) => id));
}
