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
 *   view        u1    h     m1    a1    o1        h: a call without a result, of one response with a1
 *   unit              ├───────────────┤           forgotten as a whole, h too
 *   cuts        0           1                 4   the position in front of m1 is also in front of h
 *   offsets     0           1     3     4         a summary in the place of m1 has only u1 in front of it, because h has gone
 */

/** Returns the events of a branch as a model sees them, with the places where a condenser may cut. */
export function viewOf(events: readonly Event[]): CondensableView {
  if (!Array.isArray(events)) throw new TypeError(wrongValue('viewOf: events', 'the events of a branch', events));
  const fold = new ViewFold();
  for (const event of events) fold.apply(event);
  return condensableView(fold.view, modelEvents(fold.view));
}

/** Returns the cuts of `view` where a model sees `shown` of it. They are computed on first use. */
export function condensableView(view: View, shown: readonly Event[]): CondensableView {
  let places: Pick<CondensableView, 'cuts' | 'offsets'> | undefined;
  return {
    events: shown,
    requested: view.condensationRequested,
    get cuts() {
      return (places ??= placesOf(view, shown)).cuts;
    },
    get offsets() {
      return (places ??= placesOf(view, shown)).offsets;
    },
  };
}

/** Sums up where units and pairs begin and end, so that the time grows with their events and not with the positions that they cover. */
function placesOf({ events, loops }: View, shown: readonly Event[]): Pick<CondensableView, 'cuts' | 'offsets'> {
  const positions = new Map(shown.map(({ id }, position) => [id, position]));
  const fronts = frontsOf(events, positions);
  const starts = Array.from({ length: shown.length + 1 }, () => 0);
  const gone = [...starts];
  // the positions from first + 1 to last are divided
  const divide = (first: number, last: number): void => {
    starts[first + 1] = (starts[first + 1] ?? 0) + 1;
    starts[last + 1] = (starts[last + 1] ?? 0) - 1;
  };
  for (const unit of wholeUnits(events, loops)) {
    let [first, last] = [shown.length, -1];
    for (const id of unit) {
      first = Math.min(first, fronts.get(id) ?? first);
      last = Math.max(last, positions.get(id) ?? last);
    }
    // a unit of which nothing is shown is not forgotten
    if (last < 0) continue;
    divide(first, last);
    for (const id of unit) if (!positions.has(id) && fronts.get(id) === first) gone[first] = (gone[first] ?? 0) + 1;
  }
  for (const [result, action] of pairCalls(events).actionOf) {
    const [one, other] = [positions.get(result), positions.get(action.id)];
    if (one !== undefined && other !== undefined) divide(Math.min(one, other), Math.max(one, other));
  }
  // invariant: `inside` is the number of units and pairs that the position divides; it is 0 at both ends of the view
  let inside = 0;
  const cuts = starts.flatMap((change, position) => ((inside += change) === 0 ? [position] : []));
  const orders = new Map(events.map(({ id }, order) => [id, order]));
  return { cuts, offsets: shown.map(({ id }, position) => (orders.get(id) ?? 0) - (gone[position] ?? 0)) };
}

/** Returns, for each event of a view, its position, or that of the next event that is shown. */
function frontsOf(events: readonly Event[], positions: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const fronts = new Map<string, number>();
  let next = positions.size;
  for (const { id } of events.toReversed()) fronts.set(id, (next = positions.get(id) ?? next));
  return fronts;
}
