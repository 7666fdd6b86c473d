import type { Event } from '@conv/core/events';
import { readEvents, type ConversationStore } from '@conv/core/store';

/** Milliseconds between checks of a busy server. */
const PAUSE = 30;

/**
 * Resolves with the number of events of a conversation when its server has finished its work. Asks the server itself, without a
 * proxy.
 */
export async function lengthAtRest(port: () => number, id: string, until: number): Promise<number> {
  for (;;) {
    const base = (): string => `http://127.0.0.1:${port()}/api/conversations/${id}`;
    try {
      const info = (await (await fetch(base())).json()) as { readonly execution_status?: string };
      const length = Number(await (await fetch(`${base()}/events/count`)).json());
      if (info.execution_status !== 'running' || Date.now() > until) return length;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** Reads the stored events as another program would. Waits for at least `length`, which the owner may have to publish first. */
export async function readLog(
  store: ConversationStore,
  id: string,
  length: number,
  until: number,
): Promise<readonly Event[]> {
  const reader = await store.read(id);
  if (!reader) throw new Error(`conversation ${id} is not stored`);
  try {
    while (reader.end.event < length && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      await reader.refresh();
    }
    const events: Event[] = [];
    for await (const { event } of readEvents(reader, 0)) events.push(event);
    return events;
  } finally {
    await reader.close();
  }
}
