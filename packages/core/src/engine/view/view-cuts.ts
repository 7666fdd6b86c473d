import { wrongValue } from '../../contract/settings-input/invalid-option.ts';
import type { CondensableView } from '../../contract/agent/agent.ts';
import type { Event } from '../../events/index.ts';
import { modelEvents, pairCalls, ViewFold, wholeUnits, type View } from './view.ts';

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

function cutsOf({ events, loops }: View, shown: readonly Event[]): readonly number[] {
  const positions = new Map(shown.map(({ id }, position) => [id, position]));
  const pairs = [...pairCalls(events).actionOf].map(([result, action]) => [result, action.id]);
  const starts = Array.from({ length: shown.length + 1 }, () => 0);
  for (const unit of [...wholeUnits(events, loops), ...pairs]) {
    const at = unit.map((id) => positions.get(id)).filter((position) => position !== undefined);
    if (at.length < 2) continue;
    const [first, last] = extent(at);
    starts[first + 1] = (starts[first + 1] ?? 0) + 1;
    starts[last + 1] = (starts[last + 1] ?? 0) - 1;
  }
  let inside = 0;
  return starts.flatMap((change, position) => ((inside += change) === 0 ? [position] : []));
}

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
 * shown, but goes with the run of reasoning or the batch that it belongs to, so it counts for none behind it in the same unit.
 */
function offsetsOf({ events, loops }: View, shown: readonly Event[]): readonly number[] {
  const places = new Map(events.map(({ id }, place) => [id, place]));
  const seen = new Set(shown.map(({ id }) => id));
  const hiddenBefore = new Map<string, Set<string>>();
  for (const unit of wholeUnits(events, loops)) {
    const hidden: string[] = [];
    for (const id of unit) {
      if (!seen.has(id)) hidden.push(id);
      else if (hidden.length > 0) hiddenBefore.set(id, new Set([...(hiddenBefore.get(id) ?? []), ...hidden]));
    }
  }
  return shown.map(({ id }) => (places.get(id) ?? 0) - (hiddenBefore.get(id)?.size ?? 0));
}
