import { createHash } from 'node:crypto';
import { secureRandom, type Platform } from '@conv/core/platform';

/** Milliseconds for which a ticket in a start link can be exchanged. */
const VALID = 10 * 60_000;

/** Maximum number of unused tickets; the oldest is forgotten first. */
const REMEMBERED = 100;

interface Ticket {
  readonly key: string;
  /** Milliseconds of the monotonic clock. */
  readonly until: number;
}

/**
 * One-use tickets that stand for a key in a URL. They are held in memory, as digests, until they are used and for a limited time, by default
 * ten minutes, so a URL that is found later in a history or a log opens nothing.
 */
export class SessionTickets {
  readonly #platform: Pick<Platform, 'monotonic'>;
  readonly #valid: number;
  readonly #tickets = new Map<string, Ticket>();

  constructor(platform: Pick<Platform, 'monotonic'>, valid: number = VALID) {
    this.#platform = platform;
    this.#valid = valid;
  }

  /** Returns a new ticket of 256 random bits for a key. */
  issue(key: string): string {
    const ticket = Buffer.from(secureRandom(32)).toString('base64url');
    this.#tickets.set(digest(ticket), { key, until: this.#platform.monotonic() + this.#valid });
    if (this.#tickets.size > REMEMBERED) this.#tickets.delete(this.#tickets.keys().next().value as string);
    return ticket;
  }

  /** Returns the key of a ticket and forgets the ticket; `undefined` for a wrong, used or expired ticket. */
  redeem(ticket: string): string | undefined {
    const found = this.#tickets.get(digest(ticket));
    this.#tickets.delete(digest(ticket));
    return found && found.until > this.#platform.monotonic() ? found.key : undefined;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
