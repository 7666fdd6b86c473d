import { wrongValue } from '../../contract/settings-input/invalid-option.ts';
import type { CondensableView } from '../../contract/agent/agent.ts';
import type { Event } from '../../events/index.ts';
import { modelEvents, pairCalls, ViewFold, wholeUnits, type View } from './view.ts';

/*
 * Places where a condenser may cut a view (P5, decision 17). A unit is forgotten as a whole: the calls of a model response with their
 * results, or a run of reasoning. A pair is a result and its call, which a result may name by the action's id alone.
 *
 *   shown       u1    a1    a2    o1    o2    m1        a1 and a2 are calls of one response, o1 and o2 their results
 *   unit              ├─────────────────┤
 *   pairs             ├───────────┤
 *                           ├───────────┤
 *   position  0     1     2     3     4     5     6     position n is in front of event n
 *   divided   0     0     2     3     2     0     0     the units and pairs with events on both sides of the position
 *   cuts      0     1                       5     6     the positions that divide none
 *
 * A condensation replaces events of the view, which also holds events that no model sees: calls without a result. The offset of a
 * summary therefore counts events of the view.
 *
 *   view        u1    h     a1    o1        h: a call without a result, in one run of reasoning with a1 and o1
 *   offsets     0     –     1     2         h is forgotten together with a1, so that only u1 stays in front of the summary
 */

/** Returns the events of a branch as a model sees them, with the places where a condenser may cut. */
export function viewOf(events: readonly Event[]): CondensableView {
  if (!Array.isArray(events)) throw new TypeError(wrongValue('viewOf: events', 'the events of a branch', events));
  const fold = new ViewFold();
  for (const event of events) fold.apply(event);
  return condensableView(fold.view, modelEvents(fold.view));
}

/** Returns the cuts of `view` where a model sees `shown` of it, in the same order. They are computed on first use. */
export function condensableView(view: View, shown: readonly Event[]): CondensableView {
  let cuts: readonly number[] | undefined;
  let offsets: readonly number[] | undefined;
  return {
    events: shown,
    requested: view.condensationRequested,
    get cuts() {
      return (cuts ??= cutsOf(view, shown));
    },
    get offsets() {
      return (offsets ??= offsetsOf(view, shown));
    },
  };
}

/** Sums up where units and pairs begin and end, so that the time grows with their events and not with the positions that they cover. */
function cutsOf({ events, loops }: View, shown: readonly Event[]): readonly number[] {
  const positions = new Map(shown.map(({ id }, position) => [id, position]));
  const pairs = [...pairCalls(events).actionOf].map(([result, action]) => [result, action.id]);
  const starts = Array.from({ length: shown.length + 1 }, () => 0);
  for (const unit of [...wholeUnits(events, loops), ...pairs]) {
    const at = unit.map((id) => positions.get(id)).filter((position) => position !== undefined);
    // a unit with one shown event lies on one side of every position
    if (at.length < 2) continue;
    const [first, last] = extent(at);
    // the positions from first + 1 to last divide it
    starts[first + 1] = (starts[first + 1] ?? 0) + 1;
    starts[last + 1] = (starts[last + 1] ?? 0) - 1;
  }
  // invariant: `inside` is the number of units and pairs that the position divides; it is 0 at both ends of the view
  let inside = 0;
  return starts.flatMap((change, position) => ((inside += change) === 0 ? [position] : []));
}

/** Returns the lowest and the highest of some positions. `Math.min(...positions)` fails for very many. */
function extent(positions: readonly number[]): readonly [number, number] {
  let [first, last] = [Infinity, -Infinity];
  for (const position of positions) {
    first = Math.min(first, position);
    last = Math.max(last, position);
  }
  return [first, last];
}

/**
 * Counts, for each event that is shown, the events before it that stay when the view is cut there. A call without a result is not
 * shown, but goes with the run of reasoning or the batch that it belongs to, so it does not count for later events of the same
 * unit.
 */
function offsetsOf({ events, loops }: View, shown: readonly Event[]): readonly number[] {
  const places = new Map(events.map(({ id }, place) => [id, place]));
  const seen = new Set(shown.map(({ id }) => id));
  const hiddenBefore = new Map<string, Set<string>>();
  for (const unit of wholeUnits(events, loops)) {
    const hidden: string[] = [];
    // in the order of the view: a hidden call counts for the shown events after it
    for (const id of unit) {
      if (!seen.has(id)) hidden.push(id);
      else if (hidden.length > 0) hiddenBefore.set(id, new Set([...(hiddenBefore.get(id) ?? []), ...hidden]));
    }
  }
  return shown.map(({ id }) => (places.get(id) ?? 0) - (hiddenBefore.get(id)?.size ?? 0));
}
