import { z } from 'zod';
import type { NoInput, Route } from '../route.ts';
import { utcDateTime } from '../../schema/date-time.ts';
import { named } from '../../schema/named.ts';
import { orNull, request } from '../../schema/objects.ts';
import type { Page } from '../../schema/page.ts';
import { integer } from '../../schema/scalars.ts';
import {
  type BashCommand,
  bashCommandSchema,
  type BashEvent,
  bashEventPageSchema,
  bashEventSchema,
  type BashOutput,
  bashOutputSchema,
  type ExecuteBashRequest,
  executeBashRequestSchema,
} from './bash-events.ts';
import { uuidKey } from '../../schema/uuid.ts';

/** In which order bash events are listed. */
export type BashEventSortOrder = 'TIMESTAMP' | 'TIMESTAMP_DESC';

/** Which bash events to list. */
export interface SearchBashEventsQuery {
  readonly kind__eq: 'BashCommand' | 'BashOutput' | null;
  /** Matches outputs only. 32 hex digits. */
  readonly command_id__eq: string | null;
  /** UTC with six fraction digits and `Z`; included. */
  readonly timestamp__gte: string | null;
  /** As `timestamp__gte`, excluded. */
  readonly timestamp__lt: string | null;
  /** Only outputs with a greater number. */
  readonly order__gt: number | null;
  readonly sort_order: BashEventSortOrder;
  readonly page_id: string | null;
  readonly limit: number;
}

/** How many bash events were removed. */
export interface ClearedBashEvents {
  readonly cleared_count: number;
}

const tag = 'Bash';

const sortOrderSchema: z.ZodType<BashEventSortOrder> = named(
  'BashEventSortOrder',
  z.enum(['TIMESTAMP', 'TIMESTAMP_DESC']),
);

/** Runs a command and waits for its end; the answer is its last output. */
export const executeBashCommand: Route<{ body: ExecuteBashRequest }, BashOutput> = {
  method: 'POST',
  path: '/api/bash/execute_bash_command',
  operationId: 'execute_bash_command',
  tag,
  summary: 'Run a command and wait',
  auth: 'session',
  body: executeBashRequestSchema,
  success: 200,
  answer: bashOutputSchema,
};

/** Starts a command; its outputs are listed as they come. */
export const startBashCommand: Route<{ body: ExecuteBashRequest }, BashCommand> = {
  method: 'POST',
  path: '/api/bash/start_bash_command',
  operationId: 'start_bash_command',
  tag,
  summary: 'Start a command',
  auth: 'session',
  body: executeBashRequestSchema,
  success: 200,
  answer: bashCommandSchema,
};

/** Lists commands and outputs by pages. */
export const searchBashEvents: Route<{ query: SearchBashEventsQuery }, Page<BashEvent>> = {
  method: 'GET',
  path: '/api/bash/bash_events/search',
  operationId: 'search_bash_events',
  tag,
  summary: 'List commands and outputs',
  auth: 'session',
  query: request({
    kind__eq: orNull(z.enum(['BashCommand', 'BashOutput'])),
    command_id__eq: orNull(uuidKey),
    timestamp__gte: orNull(utcDateTime),
    timestamp__lt: orNull(utcDateTime),
    order__gt: orNull(integer()),
    sort_order: sortOrderSchema.default('TIMESTAMP'),
    page_id: orNull(z.string()),
    limit: integer({ above: 0, maximum: 100 }).default(100),
  }),
  success: 200,
  answer: bashEventPageSchema,
};

/** Gets one bash event. */
export const getBashEvent: Route<{ params: { readonly event_id: string } }, BashEvent> = {
  method: 'GET',
  path: '/api/bash/bash_events/{event_id}',
  operationId: 'get_bash_event',
  tag,
  summary: 'Get a command or an output',
  auth: 'session',
  params: request({ event_id: z.string() }),
  success: 200,
  answer: bashEventSchema,
  errors: { 404: 'There is no such bash event.' },
};

/** Gets bash events by id, null where there is none. The ids are the body of the GET. */
export const getBashEvents: Route<{ body: readonly string[] }, readonly (BashEvent | null)[]> = {
  method: 'GET',
  path: '/api/bash/bash_events/',
  operationId: 'batch_get_bash_events',
  tag,
  summary: 'Get commands and outputs by id',
  auth: 'session',
  body: z.array(z.string()).max(100),
  success: 200,
  answer: z.array(z.nullable(bashEventSchema)),
};

/** Forgets all commands and outputs. */
export const clearBashEvents: Route<NoInput, ClearedBashEvents> = {
  method: 'DELETE',
  path: '/api/bash/bash_events',
  operationId: 'clear_bash_events',
  tag,
  summary: 'Forget all commands and outputs',
  auth: 'session',
  success: 200,
  answer: z.looseObject({ cleared_count: integer() }),
};
