import { toEventIndex } from '@conv/core/store';

import { flaw, following, without, type Flaw } from './flaw.ts';

export const flawedFollowing: readonly Flaw[] = [
  following(
    'loses an event that comes while a subscriber is at work',
    'P1: a subscriber from 0 is given every event once, in order, with its number',
    (subscriber) => {
      let given = 0;
      return {
        onEvent: (event, index) => (given++ % 4 === 3 ? undefined : subscriber.onEvent?.(event, index)),
      };
    },
  ),
  following(
    'gives the last event of what was there twice',
    'P1: a subscriber from 0 is given every event once, in order, with its number',
    (subscriber) => ({
      onEvent: async (event, index) => {
        await subscriber.onEvent?.(event, index);
        if (index === 1) await subscriber.onEvent?.(event, index);
      },
    }),
  ),
  following(
    'swaps two events of one commit',
    'P1: a subscriber from 0 is given every event once, in order, with its number',
    (subscriber) => {
      const held: Parameters<NonNullable<typeof subscriber.onEvent>>[] = [];
      return {
        onEvent: async (event, index) => {
          if (index === 0) return void held.push([event, index]);
          await subscriber.onEvent?.(event, index);
          for (const [one, at] of held.splice(0)) await subscriber.onEvent?.(one, at);
        },
      };
    },
  ),
  following(
    'numbers events from where the subscriber began',
    'a subscriber may begin at any event, and is told the numbers of the log',
    (subscriber) => {
      let given = 0;
      return { onEvent: (event) => subscriber.onEvent?.(event, toEventIndex(given++)) };
    },
  ),
  flaw(
    'begins one event late where a subscriber begins in the middle',
    'a subscriber may begin at any event, and is told the numbers of the log',
    (conversation) => ({
      subscribe: (subscriber, options = {}) => {
        const { from } = options;
        return conversation.subscribe(subscriber, from ? { ...options, from: toEventIndex(from + 1) } : options);
      },
    }),
  ),
  flaw(
    'goes on with a subscriber whose signal was aborted',
    'a subscriber that has unsubscribed gets nothing more',
    (conversation) => ({
      subscribe: (subscriber, options) => conversation.subscribe(subscriber, without(options, 'signal')),
    }),
  ),
  following(
    'drops a subscriber that has thrown once',
    'P1: a throwing and a slow subscriber change nothing for the other subscribers',
    (subscriber) => {
      let thrown = false;
      return {
        onEvent: async (event, index) => {
          if (thrown) return;
          try {
            await subscriber.onEvent?.(event, index);
          } catch (error) {
            thrown = true;
            throw error;
          }
        },
      };
    },
  ),
  following(
    'tells changes of the status alone',
    'subscribers get a change of a setting as a change of the state',
    (subscriber) => ({
      onStateChange: (state, before) =>
        state.executionStatus === before.executionStatus ? undefined : subscriber.onStateChange?.(state, before),
    }),
  ),
  following(
    'loses the last change of the state',
    'subscribers get changes of the state, and always the last one',
    (subscriber) => ({
      onStateChange: (state, before) =>
        state.executionStatus === 'finished' ? undefined : subscriber.onStateChange?.(state, before),
    }),
  ),
  flaw(
    'says that a subscriber has caught up before it was given anything',
    'a subscriber has caught up when it has taken the last event, not before',
    (conversation) => ({
      subscribe: (subscriber, options) => {
        const subscription = conversation.subscribe(subscriber, options);
        return {
          get position() {
            return subscription.position;
          },
          caughtUp: async () => {},
          unsubscribe: () => subscription.unsubscribe(),
        };
      },
    }),
  ),
];
