import { z } from 'zod';
import { EVENT_KINDS } from '@conv/core/events';
import { localDateTime } from '../../schema/date-time.ts';
import { named } from '../../schema/named.ts';
import { orNull, request } from '../../schema/objects.ts';
import { integer } from '../../schema/scalars.ts';

/** Which events are meant; every part must be met. */
export interface EventFilter {
  /** The name of a kind. A client may also give the dotted path that OpenHands' server knows it by. */
  readonly kind: string | null;
  readonly source: string | null;
  /** Text that a message contains, upper or lower case. */
  readonly body: string | null;
  /** Naive local time with six fraction digits, to be compared as a text; included. */
  readonly timestamp__gte: string | null;
  /** As `timestamp__gte`, excluded. */
  readonly timestamp__lt: string | null;
}

/** In which order events are listed: that of the log, or its reverse. */
export type EventSortOrder = 'TIMESTAMP' | 'TIMESTAMP_DESC';

/** Which events to list. */
export interface SearchEventsQuery extends EventFilter {
  /** The id of an event: the page begins with it. */
  readonly page_id: string | null;
  /** 1 to 100. */
  readonly limit: number;
  readonly sort_order: EventSortOrder;
}

const kindOfPath: ReadonlyMap<string, string> = new Map(
  Object.entries(EVENT_KINDS).map(([kind, { dottedPath }]) => [dottedPath, kind]),
);

const filter = {
  kind: orNull(z.string().transform((kind) => kindOfPath.get(kind) ?? kind)),
  source: orNull(z.string()),
  body: orNull(z.string()),
  timestamp__gte: orNull(localDateTime),
  timestamp__lt: orNull(localDateTime),
};

const sortOrderSchema: z.ZodType<EventSortOrder> = named('EventSortOrder', z.enum(['TIMESTAMP', 'TIMESTAMP_DESC']));

/** The schema of {@link EventFilter}. */
export const eventFilterSchema: z.ZodType<EventFilter> = request(filter);

/** The schema of {@link SearchEventsQuery}. */
export const searchEventsQuerySchema: z.ZodType<SearchEventsQuery> = request({
  ...filter,
  page_id: orNull(z.string()),
  limit: integer({ above: 0, maximum: 100 }).default(100),
  sort_order: sortOrderSchema.default('TIMESTAMP'),
});
