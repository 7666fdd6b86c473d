import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { integer, named, orNull, request, successSchema, utcDateTime, uuidKey } from '../../schema/index.ts';
import {
  bashCommandSchema,
  bashEventPageSchema,
  bashEventSchema,
  bashOutputSchema,
  executeBashRequestSchema,
} from './bash-events.ts';

const tag = 'Bash';

const searchQuery = request({
  kind__eq: orNull(z.enum(['BashCommand', 'BashOutput'])),
  /** Matches outputs only. 32 hex digits. */
  command_id__eq: orNull(uuidKey),
  /** UTC with six fraction digits and `Z`; included. */
  timestamp__gte: orNull(utcDateTime),
  /** As `timestamp__gte`, excluded. */
  timestamp__lt: orNull(utcDateTime),
  /** Only outputs with a greater number. */
  order__gt: orNull(integer()),
  sort_order: named('BashEventSortOrder', z.enum(['TIMESTAMP', 'TIMESTAMP_DESC'])).default('TIMESTAMP'),
  page_id: orNull(z.string()),
  limit: integer({ above: 0, maximum: 100 }).default(100),
});

/** Which bash events to list. */
export type SearchBashEventsQuery = z.output<typeof searchQuery>;

/** Routes of commands that run beside conversations. */
export const bashRoutes = {
  /** Runs a command and waits for its end; the answer is its last output. */
  execute: defineRoute(tag, 'POST /api/bash/execute_bash_command', 'execute_bash_command', 'Run a command and wait', {
    scope: ['admin', 'approve'],
    allConversations: true,
    body: executeBashRequestSchema,
    answer: bashOutputSchema,
  }),

  /** Starts a command; its outputs are listed as they come. */
  start: defineRoute(tag, 'POST /api/bash/start_bash_command', 'start_bash_command', 'Start a command', {
    scope: ['admin', 'approve'],
    allConversations: true,
    body: executeBashRequestSchema,
    answer: bashCommandSchema,
  }),

  /** Ends a command. Of OpenHands' 1.52. */
  stop: defineRoute(tag, 'POST /api/bash/bash_commands/{command_id}/stop', 'stop_bash_command', 'Stop a command', {
    scope: ['admin', 'approve'],
    allConversations: true,
    params: request({ command_id: uuidKey }),
    answer: successSchema,
    errors: { 404: 'There is no such command.' },
  }),

  search: defineRoute(tag, 'GET /api/bash/bash_events/search', 'search_bash_events', 'List commands and outputs', {
    scope: 'admin',
    allConversations: true,
    query: searchQuery,
    answer: bashEventPageSchema,
  }),

  get: defineRoute(tag, 'GET /api/bash/bash_events/{event_id}', 'get_bash_event', 'Get a command or an output', {
    scope: 'admin',
    allConversations: true,
    params: request({ event_id: z.string() }),
    answer: bashEventSchema,
    errors: { 404: 'There is no such bash event.' },
  }),

  /** Gets bash events by id, null where there is none. The ids are the body of the GET. */
  getMany: defineRoute(tag, 'GET /api/bash/bash_events/', 'batch_get_bash_events', 'Get commands and outputs by id', {
    scope: 'admin',
    allConversations: true,
    body: z.array(z.string()).max(100),
    answer: z.array(z.nullable(bashEventSchema)),
  }),

  clear: defineRoute(tag, 'DELETE /api/bash/bash_events', 'clear_bash_events', 'Forget all commands and outputs', {
    scope: 'admin',
    allConversations: true,
    answer: z.looseObject({ cleared_count: integer() }),
  }),
};
