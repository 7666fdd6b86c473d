import type { Event } from '@conv/core/events';
import { turnItems, type NumberedEvent } from '@conv/turns';

import { call, pause } from '../door/rest.ts';
import type { Door } from '../door/door.ts';
import { linesOf, withoutRejection, type LineKind } from '../show/lines-of.ts';

/** A conversation as the server tells it without a proxy. */
export class ServerLog {
  readonly #url: () => string;
  readonly #path: string;

  constructor(url: () => string, id: string) {
    this.#url = url;
    this.#path = `/api/conversations/${id}`;
  }

  /** Resolves with the status of the run. */
  async status(): Promise<string> {
    const { execution_status: status } = await call(this.#url, { method: 'GET', path: this.#path });
    return String(status);
  }

  /** Resolves with the status when no run is active any more. */
  async rest(): Promise<string> {
    for (;;) {
      const status = await this.status();
      if (status !== 'running' && status !== 'idle') return status;
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
  const all = turnItems(events).flatMap(linesOf);
  const said = door.failsRejected ? all.map(withoutRejection) : all;
  const lines = said.filter((line) => !door.leavesOut.some((kind) => isOf(kind, line)));
  const seen = door.shows === 'log' ? lines : lines.slice(Math.max(0, lines.lastIndexOf(shown[0] ?? '')));
  return turnsIn(seen).flatMap((turn) => inLists(turn, door.lists ?? []));
}

/** Returns the lines of each turn. */
function turnsIn(lines: readonly string[]): readonly (readonly string[])[] {
  const starts = lines.flatMap((line, at) => (at > 0 && isOf('user', line) ? [at] : []));
  return [0, ...starts].map((start, at) => lines.slice(start, starts[at]));
}

function inLists(lines: readonly string[], lists: readonly LineKind[]): readonly string[] {
  const others = lines.filter((line) => !lists.some((kind) => isOf(kind, line)));
  return [...others, ...lists.flatMap((kind) => lines.filter((line) => isOf(kind, line)))];
}

function isOf(kind: LineKind, line: string): boolean {
  return line.startsWith(kind);
}
