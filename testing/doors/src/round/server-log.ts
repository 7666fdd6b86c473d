import type { Event } from '@conv/core/events';
import { turnItems, type NumberedEvent } from '@conv/turns';

import { call, pause } from '../door/rest.ts';
import type { Door } from '../door/door.ts';
import { linesOf } from '../show/lines-of.ts';

/** A conversation as the server tells it without a proxy. */
export class ServerLog {
  readonly #url: () => string;
  readonly #path: string;

  constructor(url: () => string, id: string) {
    this.#url = url;
    this.#path = `/api/conversations/${id}`;
  }

  /** Resolves with the status when no run is active any more. */
  async rest(): Promise<string> {
    for (;;) {
      const { execution_status: status } = await call(this.#url, { method: 'GET', path: this.#path });
      if (status !== 'running' && status !== 'idle') return String(status);
      await pause();
    }
  }

  /** Resolves with the actions that wait for a person. */
  async waiting(): Promise<readonly string[]> {
    const events = await this.events();
    const items = turnItems(events);
    return items.flatMap((item) => (item.kind === 'call' && !item.result ? [item.actionId] : []));
  }

  async events(): Promise<readonly NumberedEvent[]> {
    const found: NumberedEvent[] = [];
    for (let page: string | null = null; ;) {
      const path = `${this.#path}/events/search?limit=100${page === null ? '' : `&page_id=${page}`}`;
      const body = await call(this.#url, { method: 'GET', path });
      for (const event of body['items'] as Event[]) found.push({ index: found.length, event });
      page = (body['next_page_id'] ?? null) as string | null;
      if (page === null) return found;
    }
  }
}

/** Returns the lines that a client of a door shows of a log. A client of one turn shows the turns from the message on that it shows first. */
export function linesOfLog(events: readonly NumberedEvent[], door: Door, shown: readonly string[]): readonly string[] {
  const items = turnItems(events).filter(({ kind }) => !(door.leavesOut as readonly string[]).includes(kind));
  const lines = items.flatMap(linesOf);
  return door.shows === 'log' ? lines : lines.slice(Math.max(0, lines.lastIndexOf(shown[0] ?? '')));
}
