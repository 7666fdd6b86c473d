import type { CondensableView } from '../../contract/agent/condensable-view.ts';
import type { Event } from '../../events/index.ts';
import { pairCalls, wholeUnits, type View } from './view.ts';

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
      return (offsets ??= offsetsOf(view.events, shown));
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

function offsetsOf(events: readonly Event[], shown: readonly Event[]): readonly number[] {
  const places = new Map(events.map(({ id }, place) => [id, place]));
  return shown.map(({ id }) => places.get(id) ?? 0);
}
