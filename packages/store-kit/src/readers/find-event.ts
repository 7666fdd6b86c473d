import { toEventIndex, type Commit, type EventIndex } from '@conv/core/store';

/** Finds an event by reading commits. Resolves with its number; `undefined` if none of them holds it. */
export async function findEvent(commits: AsyncIterable<Commit>, id: string): Promise<EventIndex | undefined> {
  for await (const { firstEvent, events } of commits) {
    const at = events.findIndex((event) => event.id === id);
    if (at >= 0) return toEventIndex(firstEvent + at);
  }
  return undefined;
}
