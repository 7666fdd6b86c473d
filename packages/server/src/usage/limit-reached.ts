import { isJsonObject } from '@conv/core/platform';

import { ApiError } from '../http/api-error.ts';

/** The limit of a principal and day that was reached. */
export type LimitCode = 'DailyRunsReached' | 'DailyCostReached';

/** A use that reached its limit. */
export interface ReachedLimit {
  readonly name: string;
  readonly limit: number;
  readonly used: number;
  /** Epoch milliseconds of the present moment, and of the end of the day. */
  readonly now: number;
  readonly end: number;
}

/** A limit as answers describe it. */
interface LimitDetail {
  readonly code: LimitCode;
  readonly message: string;
  readonly limit: number;
  readonly used: number;
  /** ISO 8601. */
  readonly resets_at: string;
}

/** Refuses a run, or ends it, because its principal has used up what it may use on a day. Status 429, with the seconds until the next day. */
export class LimitReached extends ApiError {
  override readonly name = 'LimitReached';
  readonly code: LimitCode;
  /** The code of the event that ends a run. */
  readonly conversationErrorCode: LimitCode;

  constructor(detail: LimitDetail, retryAfter: number) {
    super(429, { ...detail }, { retryAfter });
    this.message = detail.message;
    this.code = detail.code;
    this.conversationErrorCode = detail.code;
  }

  /** Returns the refusal that another server gave; `undefined` for another detail. */
  static from(detail: unknown): LimitReached | undefined {
    if (!isJsonObject(detail) || typeof detail['message'] !== 'string') return undefined;
    return new LimitReached(detail as unknown as LimitDetail, 1);
  }
}

/** Makes the refusal for a limit. */
export function limitReached(code: LimitCode, { name, limit, used, now, end }: ReachedLimit): LimitReached {
  const resets = new Date(end).toISOString();
  const what =
    code === 'DailyRunsReached'
      ? `${used} of ${limit} runs`
      : `${dollars(used)} of ${dollars(limit)}, and the next call of a model may cost more than what is left`;
  const message = `The key ${name} has used ${what} of this day: wait until ${resets}, or give it a higher limit`;
  return new LimitReached(
    { code, message, limit, used, resets_at: resets },
    Math.max(1, Math.ceil((end - now) / 1000)),
  );
}

/** Formats US dollars without digits that rounding made. */
function dollars(amount: number): string {
  return `$${Number(amount.toPrecision(6))}`;
}
