import assert from 'node:assert/strict';

import type { Conversation } from '@conv/core';
import {
  conversationCase,
  type ConversationConformanceCase,
  type ConversationSuiteFeatures,
} from './conversation-under-test.ts';
import { refuses } from './expect-conversation.ts';

type Call = (conversation: Conversation, misspelt: object) => Promise<unknown>;

const first = (items: AsyncIterable<unknown>): Promise<unknown> => items[Symbol.asyncIterator]().next();

/** Every method that takes options: a misspelt option, the option that is meant, and a call with the misspelt one. */
const calls: readonly (readonly [method: string, misspelt: string, meant: string, call: Call])[] = [
  ['sendMessage', 'sendr', 'sender', (conversation, options) => conversation.sendMessage('Hello', options)],
  ['run', 'maxIteration', 'maxIterations', (conversation, options) => conversation.run(options)],
  ['askAgent', 'singal', 'signal', (conversation, options) => conversation.askAgent('Why?', options)],
  ['settings.generateTitle', 'maxLenght', 'maxLength', ({ settings }, options) => settings.generateTitle(options)],
  ['history.fork', 'form', 'from', ({ history }, options) => history.fork(options)],
  ['goal.pursue', 'max_iterations', 'maxIterations', ({ goal }, options) => goal.pursue('All done', options)],
  ['goal.resume', 'singal', 'signal', ({ goal }, options) => goal.resume(options)],
  ['history.replay', 'form', 'from', ({ history }, options) => first(history.replay(options))],
  ['history.commits', 'form', 'from', ({ history }, options) => first(history.commits(options))],
];

/** Methods that some runtimes lack, with the feature that they need. */
const furtherCalls: readonly (readonly [
  feature: 'commits' | 'outline' | 'rerunActions' | 'view',
  method: string,
  misspelt: string,
  meant: string,
  call: Call,
])[] = [
  ['outline', 'history.outline', 'bukcets', 'buckets', ({ history }, options) => history.outline(options)],
  ['view', 'history.view', 'limti', 'limit', ({ history }, options) => history.view({ event: 0 }, options)],
  ['view', 'point', 'evnet', 'event', ({ history }, point) => history.view({ event: 0, ...point })],
  ['commits', 'point', 'evnet', 'event', ({ history }, point) => history.at({ event: 0, ...point })],
  ['rerunActions', 'history.rerunActions', 'singal', 'signal', ({ history }, o) => first(history.rerunActions(o))],
];

export const optionCases: readonly ConversationConformanceCase[] = [
  ...calls.map(([method, ...rest]) => misspeltCase(method, method, ...rest)),
  ...furtherCalls.map(([feature, method, misspelt, meant, call]) =>
    misspeltCase(
      method === 'point' ? `a point of history.${feature === 'view' ? 'view' : 'at'}` : method,
      method,
      misspelt,
      meant,
      call,
      (features) => features[feature] === true,
    ),
  ),
  conversationCase(
    'P13: answerCall refuses a misspelt option and says which is meant',
    async ({ make, platform }) => {
      const { conversation } = await make({ turns: [] });
      const answer = { content: 'Done.', isErorr: true };
      const error = await refuses('INVALID_INPUT', 'answerCall', conversation.answerCall(platform.id(), answer));
      assert.match(error.message, /did you mean isError\?/);
    },
    ({ answerCall = false }) => answerCall,
  ),
  conversationCase('P13: subscribe throws for a misspelt option and says which is meant', async ({ make }) => {
    const { conversation } = await make({ turns: [] });
    assert.throws(() => conversation.subscribe({}, { form: 0 } as object), /did you mean from\?/);
  }),
];

/** Makes the case that a call with a misspelt option is refused. */
function misspeltCase(
  subject: string,
  method: string,
  misspelt: string,
  meant: string,
  call: Call,
  when?: (features: ConversationSuiteFeatures) => boolean,
): ConversationConformanceCase {
  return conversationCase(
    `P13: ${subject} refuses a misspelt option, says which is meant and does nothing`,
    async ({ make }) => {
      const { conversation } = await make({ turns: [] });
      const before = conversation.events.length;
      const error = await refuses('INVALID_INPUT', method, call(conversation, { [misspelt]: undefined }));
      assert.match(error.message, new RegExp(`${method}: there is no option "${misspelt}"; did you mean ${meant}\\?`));
      assert.equal(conversation.events.length, before);
    },
    when,
  );
}
