import { pastViews } from '@conv/core';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { boolean, documented, integer, jsonObject, keptAs, number, orNull, request } from '../../schema/index.ts';
import { conversationParams } from './conversation-params.ts';

const whole = integer({ minimum: 0 });

/** A kind of a newer server is accepted, because kinds are only shown. */
const kind = documented(
  z.custom<pastViews.OutlineKind>((value) => typeof value === 'string'),
  { type: 'string', enum: [...pastViews.OUTLINE_KINDS] },
);

const outlineMarkSchema = keptAs('OutlineMark', {
  kind,
  event: whole,
  last: whole,
  count: whole,
  label: z.string(),
  timestamp: z.string(),
});

const outlineSchema = keptAs('Outline', {
  /** The first event that is covered: marks and points from here on replace the ones of an earlier outline. */
  from: whole,
  /** The number of events that are covered: those of the log, or fewer where `within` ended the reading. */
  events: whole,
  marks: z.array(outlineMarkSchema),
  cost: z.array(keptAs('OutlineCost', { event: whole, total: number() })),
});

/** Marks of a whole log, and its cost. */
export type OutlineAnswer = z.output<typeof outlineSchema>;

const viewSchema = keptAs('ModelView', {
  /** The number of events of the log at this point. */
  events: whole,
  messages: z.array(
    keptAs('ViewMessage', {
      /** The message in the form of the wire, with its defaults. */
      message: jsonObject,
      /** The numbers of the events that it is made of. */
      events: z.array(whole),
      /** An estimate. */
      tokens: whole,
      cache_point: boolean(),
      cached: boolean(),
    }),
  ),
  /** The position of the first message of the page. */
  first: whole,
  /** The number of all messages. */
  count: whole,
  /** The estimate of all messages. */
  tokens: whole,
  hidden: z.array(keptAs('HiddenEvents', { from: whole, to: whole, count: whole, by: whole })),
  condensation_requested: boolean(),
});

/** The messages that the model would get at a point of a log. */
export type ModelViewAnswer = z.output<typeof viewSchema>;

/** Routes for pages that show any point of a conversation. */
export const pastRoutes = {
  getOutline: defineRoute(
    'History',
    'GET /api/conversations/{conversation_id}/outline',
    'get_outline',
    'Get the marks of a whole log',
    {
      scope: 'read',
      params: conversationParams,
      query: request({
        /** The `events` of an earlier outline: only what is new. */
        after: integer({ minimum: 0 }).default(0),
        /** The maximum number of marks of each kind; dense ones are joined. */
        buckets: integer({ minimum: 16, maximum: 1024 }).default(256),
        /** Milliseconds after which no more of the log is read: the answer covers a part, and the next one more. null: no limit. */
        within: orNull(integer({ minimum: 0 })),
      }),
      answer: outlineSchema,
      errors: { 404: 'There is no such conversation.' },
      extension: true,
    },
  ),

  getView: defineRoute(
    'History',
    'GET /api/conversations/{conversation_id}/view',
    'get_view',
    'Get the messages that the model would get at a point',
    {
      scope: 'read',
      params: conversationParams,
      query: request({
        /** A commit number; null: the last one. */
        at: orNull(integer({ minimum: -1 })),
        /** An event number, in place of a commit: the commit that holds it. */
        event: orNull(integer({ minimum: 0 })),
        /** The position of the first message; null: so that the page ends with the last message. */
        from: orNull(integer({ minimum: 0 })),
        /**
         * The maximum number of messages. A page may be shorter because of its size in bytes; then its first messages are left
         * out.
         */
        limit: integer({ minimum: 1, maximum: 1000 }).default(200),
      }),
      answer: viewSchema,
      errors: {
        404: 'There is no such conversation, or no such commit or event in it.',
        422: 'Both a commit and an event are named.',
      },
      extension: true,
    },
  ),
};
