import { createHash } from 'node:crypto';
import { secureRandom, type Platform } from '@conv/core/platform';

/** Limits of the unused tickets of one use. The oldest is forgotten first. */
export interface TicketLimits {
  /** Milliseconds for which a ticket is valid. */
  readonly valid: number;
  /** Maximum number of tickets. */
  readonly most: number;
  /** Maximum number of tickets of one key, so that its holder takes no tickets of others. */
  readonly mostOfKey: number;
}

const START_LINKS: TicketLimits = { valid: 10 * 60_000, most: 100, mostOfKey: 100 };

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
  readonly #limits: TicketLimits;
  readonly #tickets = new Map<string, Ticket>();

  constructor(platform: Pick<Platform, 'monotonic'>, limits: TicketLimits = START_LINKS) {
    this.#platform = platform;
    this.#limits = limits;
  }

  /** Returns a new ticket of 256 random bits for a key. */
  issue(key: string): string {
    const ticket = Buffer.from(secureRandom(32)).toString('base64url');
    const { valid, most, mostOfKey } = this.#limits;
    const now = this.#platform.monotonic();
    for (const [old, { until }] of this.#tickets) if (until <= now) this.#tickets.delete(old);
    this.#tickets.set(digest(ticket), { key, until: now + valid });
    const ofKey = [...this.#tickets].filter(([, held]) => held.key === key).map(([held]) => held);
    const [oldest] = ofKey.length > mostOfKey ? ofKey : this.#tickets.size > most ? this.#tickets.keys() : [];
    if (oldest !== undefined) this.#tickets.delete(oldest);
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
