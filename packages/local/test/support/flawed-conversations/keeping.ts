import { SECRET_MASK } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';
import { toCommitSeq } from '@conv/core/store';

import { flaw, reading, without, type Flaw } from './flaw.ts';

/** The value that cases about errors hide. */
const VALUE = 'correct horse "battery" staple';

function unmasked(text: string): string {
  return text.replaceAll(SECRET_MASK, VALUE);
}

export const flawedKeeping: readonly Flaw[] = [
  flaw(
    'takes blanks for a title',
    'P13: a title loses the blanks around it, and blanks alone are refused',
    ({ settings }) => ({
      settings: { setTitle: async (title) => (title?.trim() === '' ? undefined : settings.setTitle(title)) },
    }),
  ),
  reading(
    'shows a secret in the error of a tool',
    'P9: a secret is masked in the errors of tools and of the model, in the log and where they are thrown',
    (event) => (isEvent(event, 'AgentErrorEvent') ? { ...event, error: unmasked(event.error) } : event),
  ),
  reading(
    'shows a secret in the error of a run',
    'P9: a secret is masked in the errors of tools and of the model, in the log and where they are thrown',
    (event) => (isEvent(event, 'ConversationErrorEvent') ? { ...event, detail: unmasked(event.detail) } : event),
  ),
  flaw(
    'throws the error of a run with a secret in it',
    'P9: a secret is masked in the errors of tools and of the model, in the log and where they are thrown',
    (conversation) => ({
      run: (options) =>
        conversation.run(options).catch((error: Error) => {
          error.message = unmasked(error.message);
          throw error;
        }),
    }),
  ),
  flaw(
    'forgets a secret and its value when it is removed',
    'P9: a secret that comes later is masked from then on, even where it stood before',
    (conversation) => {
      let removed = false;
      return {
        settings: {
          updateSecrets: async (secrets) => {
            removed ||= Object.values(secrets).includes(null);
            await conversation.settings.updateSecrets(secrets);
          },
        },
        events: {
          at: async (index) => {
            const event = await conversation.events.at(index);
            return removed && event ? (JSON.parse(JSON.stringify(event).replaceAll(SECRET_MASK, 'x')) as Event) : event;
          },
        },
      };
    },
  ),
  flaw('replaces all secrets when some are set', 'secrets that are not named in an update stay', (conversation) => ({
    settings: {
      updateSecrets: async (secrets) => {
        const gone = conversation.settings.secrets.map(({ name }) => [name, null] as const);
        await conversation.settings.updateSecrets({ ...Object.fromEntries(gone), ...secrets });
      },
    },
  })),
  flaw(
    'puts limits that are not named back to their defaults',
    'limits that are not named in a change stay',
    (conversation) => ({
      settings: {
        setLimits: (limits) =>
          conversation.settings.setLimits({
            maxIterations: 500,
            maxBudgetPerRun: null,
            maxBudget: null,
            toolTimeout: null,
            ...limits,
          }),
      },
    }),
  ),
  flaw(
    'adds tags to those that are there',
    'tags replace all that were there, and a title can be taken away',
    (conversation) => ({
      settings: { setTags: (tags) => conversation.settings.setTags({ ...conversation.state.tags, ...tags }) },
    }),
  ),
  flaw(
    'keeps a title that is taken away',
    'tags replace all that were there, and a title can be taken away',
    (conversation) => ({
      settings: {
        setTitle: async (title) => {
          if (title !== null) await conversation.settings.setTitle(title);
        },
      },
    }),
  ),
  flaw(
    'replaces a title that was set while one was made',
    'a title that is set while another is generated stays, and is the result',
    (conversation) => ({
      settings: {
        generateTitle: async (options) => {
          await conversation.settings.generateTitle(options);
          await conversation.settings.setTitle('Made');
          return 'Made';
        },
      },
    }),
  ),
  flaw(
    'forgets limits when it is opened again',
    'P4: limits are kept when a conversation is opened again',
    ({ resumed }) => (resumed ? { state: { toolTimeout: null } } : {}),
  ),
  flaw(
    'says that it was made each time it is opened',
    'P13: a conversation tells if its opening created it or found it',
    () => ({ resumed: false }),
  ),
  flaw(
    'opens forks with the policy of new conversations',
    'P10: a fork is no less strict than its source',
    ({ state }) => (state.forkedFrom ? { state: { confirmationPolicy: { kind: 'NeverConfirm' } } } : {}),
  ),
  flaw(
    'forks from the end, wherever it is told to',
    'a fork from an event holds the path to it and nothing else',
    (conversation) => ({ history: { fork: (options) => conversation.history.fork(without(options, 'from')) } }),
  ),
  flaw(
    'gives the state behind a commit for the one in front of it',
    'P6: the state at a commit is the same by replay, by number and after reopening, without a model',
    (conversation) => ({
      history: {
        at: (point) => conversation.history.at(typeof point === 'object' ? point : toCommitSeq(Math.max(1, point - 1))),
      },
    }),
  ),
  flaw(
    'gives the newest state for every event',
    'the state at an event is the state after the commit that holds it',
    (conversation) => ({
      history: {
        at: (point) =>
          conversation.history.at(typeof point === 'object' ? { event: conversation.events.length - 1 } : point),
      },
    }),
  ),
];
