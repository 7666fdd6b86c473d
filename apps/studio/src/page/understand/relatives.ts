import type { EventsList } from '@conv/core';

/** Another conversation that came from this one. */
export interface Relative {
  readonly id: string;
  /** Its title, or a name from its id. */
  readonly name: string;
  readonly kind: 'fork' | 'subagent';
  /** The id of the event after which a fork begins; `null` for a fork of everything, and for a sub-agent. */
  readonly from: string | null;
}

/** A relative, and the number of the event at which it stands in the tree. */
export interface PlacedRelative extends Relative {
  /** `undefined` if the event is not known here. */
  readonly event: number | undefined;
}

/** Resolves with relatives beside the events that they come from. */
export function placeRelatives(
  relatives: readonly Relative[],
  events: Pick<EventsList, 'indexOf'>,
): Promise<readonly PlacedRelative[]> {
  const place = async ({ from }: Relative): Promise<number | undefined> =>
    from === null ? undefined : await events.indexOf(from);
  return Promise.all(relatives.map(async (relative) => ({ ...relative, event: await place(relative) })));
}
