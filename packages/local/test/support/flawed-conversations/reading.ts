import { setInterval } from 'node:timers';

import { isEvent, type Event } from '@conv/core/events';
import { textOf } from '@conv/openhands/messages';

import { flaw, type Flaw } from './flaw.ts';

/** Results whose contents have gone round by one. */
function mixedUp(events: readonly Event[]): readonly Event[] {
  const results = events.filter((event) => isEvent(event, 'ObservationEvent'));
  let nth = 0;
  return events.map((event) =>
    isEvent(event, 'ObservationEvent')
      ? { ...event, observation: (results[++nth % results.length] ?? event).observation }
      : event,
  );
}

export const flawedReading: readonly Flaw[] = [
  flaw('shows the result of another call', 'each result is stored with the call that it is of', ({ events }) => ({
    events: { slice: async (...range) => mixedUp(await events.slice(...range)) },
  })),
  flaw(
    'finds an event by the beginning of its id',
    'events are found by their whole ids and by numbers, from either end',
    ({ events }) => ({
      events: {
        get: async (id) => {
          for await (const event of events) if (event.id.startsWith(id)) return event;
          return undefined;
        },
      },
    }),
  ),
  flaw(
    'finds nothing by an id that is no text',
    'P13: an id of an event that is no text is refused with the place, and nothing changes',
    ({ events }) => ({
      events: { get: async (id) => (typeof id === 'string' ? events.get(id) : undefined) },
    }),
  ),
  flaw(
    'counts from the front where a number is negative',
    'events are found by their whole ids and by numbers, from either end',
    ({ events }) => ({ events: { idAt: (index) => events.idAt(Math.abs(index)) } }),
  ),
  flaw(
    'leaves the last event out of a range that ends behind it',
    'events are found by their whole ids and by numbers, from either end',
    ({ events }) => ({
      events: {
        slice: (start, end) => events.slice(start, end !== undefined && end > events.length ? -1 : end),
      },
    }),
  ),
  flaw(
    'answers with what was said last, wherever HEAD is',
    'the final response is of the branch on which the conversation is',
    ({ events }) => ({
      finalResponse: async () => {
        const all = await events.slice();
        const said = all.findLast((event) => isEvent(event, 'MessageEvent') && event.source === 'agent');
        return said ? textOf(said) : '';
      },
    }),
  ),
  flaw(
    'keeps the first final response',
    'the final response is the newest answer, whether it was said or finished with',
    (conversation) => {
      let kept = '';
      return { finalResponse: async () => (kept ||= await conversation.finalResponse()) };
    },
  ),
  flaw(
    'leaves a timer behind that it was opened with',
    'descriptors and timers of opening, following, running and closing are given back, and of openings that fail',
    () => {
      const timer = setInterval(() => {}, 60_000);
      abandoned.push(timer);
      return {};
    },
  ),
  flaw(
    'leaves a listener on the signal of a run',
    'subscriptions and runs that have ended leave no listener on their signal',
    (conversation) => ({
      run: (options) => {
        options?.signal?.addEventListener('abort', () => {});
        return conversation.run(options);
      },
    }),
  ),
  flaw(
    'takes commands after it was closed',
    'closing is closing once; afterwards commands reject CLOSED',
    (conversation) => ({ pause: () => conversation.pause().catch(() => {}) }),
  ),
  flaw('refuses to be closed twice', 'closing is closing once; afterwards commands reject CLOSED', (conversation) => {
    let closed = false;
    return {
      close: async () => {
        if (closed) throw new Error('closed before');
        closed = true;
        await conversation.close();
      },
    };
  }),
];

/** Timers that were left behind, to end them with the tests. */
export const abandoned: NodeJS.Timeout[] = [];
