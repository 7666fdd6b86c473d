import type { BashCommand, BashOutput } from '@conv/openhands/rest';
import { isoNow, type Platform } from '@conv/core/platform';

/** Returns the id and time of an event of a command: 32 hex digits, and a time in UTC with six fraction digits. */
export function stamp(platform: Pick<Platform, 'id' | 'now'>): { readonly id: string; readonly timestamp: string } {
  return { id: platform.id().replaceAll('-', ''), timestamp: isoNow(platform).replace('Z', '000Z') };
}

/** Stored events of commands, which exclude errors about a client's frames. */
export type KeptBashEvent = BashCommand | BashOutput;

/** A filter of events of commands, and their order. */
export interface BashQuery {
  readonly kind?: KeptBashEvent['kind'];
  /** Outputs of this command alone. */
  readonly commandId?: string;
  /** UTC with six fraction digits; inclusive. */
  readonly from?: string;
  /** UTC with six fraction digits; exclusive. */
  readonly until?: string;
  /** Outputs with a higher number alone. */
  readonly orderAbove?: number;
  readonly newestFirst?: boolean;
}

/** Limits of a {@link BashLog}. */
export interface BashLogLimits {
  /** Approximate bytes. */
  readonly capacity: number;
  /** Milliseconds after which events are forgotten; `undefined` for never. */
  readonly retention?: number | undefined;
}

/**
 * The newest events of commands, up to a number of bytes and an age, in order. They are kept in memory, because output is of use only to the
 * client that started the command, and a command does not outlive the server.
 */
export class BashLog {
  readonly #platform: Pick<Platform, 'now'>;
  readonly #limits: BashLogLimits;
  readonly #events = new Map<string, KeptBashEvent>();
  #bytes = 0;

  constructor(platform: Pick<Platform, 'now'>, limits: BashLogLimits) {
    this.#platform = platform;
    this.#limits = limits;
  }

  /** Adds an event, and drops the oldest events while there are too many bytes. The newest event always stays. */
  add(event: KeptBashEvent): void {
    this.#forgetOld();
    this.#events.set(event.id, event);
    this.#bytes += sizeOf(event);
    for (const [id, oldest] of this.#events) {
      if (this.#bytes <= this.#limits.capacity || id === event.id) return;
      this.#forget(id, oldest);
    }
  }

  get(id: string): KeptBashEvent | undefined {
    this.#forgetOld();
    return this.#events.get(id.replaceAll('-', '').toLowerCase());
  }

  find(query: BashQuery): readonly KeptBashEvent[] {
    this.#forgetOld();
    const found = [...this.#events.values()].filter((event) => fits(event, query));
    return query.newestFirst ? found.reverse() : found;
  }

  /** Removes all events and returns their number. */
  clear(): number {
    this.#forgetOld();
    const count = this.#events.size;
    this.#events.clear();
    this.#bytes = 0;
    return count;
  }

  /** Forgets the events that are too old, which come first. */
  #forgetOld(): void {
    const { retention } = this.#limits;
    if (retention === undefined) return;
    const { timestamp: oldest } = stamp({ id: () => '', now: () => this.#platform.now() - retention });
    for (const [id, event] of this.#events) {
      if (event.timestamp >= oldest) return;
      this.#forget(id, event);
    }
  }

  #forget(id: string, event: KeptBashEvent): void {
    this.#events.delete(id);
    this.#bytes -= sizeOf(event);
  }
}

function fits(event: KeptBashEvent, { kind, commandId, from, until, orderAbove }: BashQuery): boolean {
  if (kind !== undefined && event.kind !== kind) return false;
  if (from !== undefined && event.timestamp < from) return false;
  if (until !== undefined && event.timestamp >= until) return false;
  if (commandId === undefined && orderAbove === undefined) return true;
  if (event.kind !== 'BashOutput') return false;
  if (commandId !== undefined && event.command_id !== commandId.replaceAll('-', '').toLowerCase()) return false;
  return orderAbove === undefined || event.order > orderAbove;
}

/** Returns about how many bytes an event takes in memory. */
function sizeOf(event: KeptBashEvent): number {
  const text =
    event.kind === 'BashCommand' ? event.command.length : (event.stdout?.length ?? 0) + (event.stderr?.length ?? 0);
  return 400 + 2 * text;
}
