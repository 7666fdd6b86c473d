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
  flaw('shows the result of another call', 'each result is stored with its call', ({ events }) => ({
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
    'P13: an id of an event that is not text is refused with the place, and nothing changes',
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
    'the final response is that of the live branch',
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
    'the final response is the newest answer, as a message or from a finish call',
    (conversation) => {
      let kept = '';
      return { finalResponse: async () => (kept ||= await conversation.finalResponse()) };
    },
  ),
  flaw(
    'outlines only what was said',
    'an outline marks messages, answers, calls that wait and failed calls at their events',
    ({ history }) => ({
      history: {
        outline: async (options) => {
          const outline = await history.outline(options);
          return { ...outline, marks: outline.marks.filter(({ kind }) => kind === 'message' || kind === 'answer') };
        },
      },
    }),
  ),
  flaw(
    'outlines the cost of each request, not the total',
    'P6: the cost of an outline is the cost of the state there; no model is asked',
    ({ history }) => ({
      history: {
        outline: async (options) => {
          const { cost, ...outline } = await history.outline(options);
          const single = cost.map(({ event, total }, at) => ({ event, total: total - (cost[at - 1]?.total ?? 0) }));
          return { ...outline, cost: single };
        },
      },
    }),
  ),
  flaw(
    'outlines all of the log again',
    'an outline after an earlier one has the new marks, and both together are the whole outline',
    ({ history }) => ({ history: { outline: () => history.outline() } }),
  ),
  flaw(
    'takes a part of an outline for all of it',
    'outlines that are read without time cover more and more of a log, and tell how much',
    ({ history, events }) => ({
      history: { outline: async (options) => ({ ...(await history.outline(options)), events: events.length }) },
    }),
  ),
  flaw(
    'shows the view of now at every point',
    'the view before an answer is what the model was asked with, whenever it is looked at',
    ({ history, events }) => ({ history: { view: (_, page) => history.view({ event: events.length - 1 }, page) } }),
  ),
  flaw(
    'counts the tokens of a page only',
    'a view is read in pages, and an invalid page is refused',
    ({ history }) => ({
      history: {
        view: async (point, page) => {
          const view = await history.view(point, page);
          return { ...view, tokens: view.messages.reduce((sum, { tokens }) => sum + tokens, 0) };
        },
      },
    }),
  ),
  flaw(
    'takes all of a view for cached',
    'a view tells the size of its messages, and which of them the last request contained',
    ({ history }) => ({
      history: {
        view: async (point, page) => {
          const view = await history.view(point, page);
          return { ...view, messages: view.messages.map((message) => ({ ...message, cached: true })) };
        },
      },
    }),
  ),
  flaw(
    'leaves a timer behind that it was opened with',
    'descriptors and timers of opening, following, running, closing and failed openings are freed',
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
    'closing twice has the effect of closing once, and later commands reject CLOSED',
    (conversation) => ({ pause: () => conversation.pause().catch(() => {}) }),
  ),
  flaw(
    'refuses to be closed twice',
    'closing twice has the effect of closing once, and later commands reject CLOSED',
    (conversation) => {
      let closed = false;
      return {
        close: async () => {
          if (closed) throw new Error('closed before');
          closed = true;
          await conversation.close();
        },
      };
    },
  ),
];

/** Timers that were left behind, to end them with the tests. */
export const abandoned: NodeJS.Timeout[] = [];
