import { askAgain } from '@conv/turns';

import { POLICIES, type PolicyName } from '../home/chat-home.ts';
import { modelOf, policySentence } from '../session/status-facts.ts';
import { ChatMistake, type SlashCommand } from './slash-command.ts';

/** Shows or switches the model. */
export const model: SlashCommand = {
  name: 'model',
  argument: '[name]',
  about: 'show or switch the model',
  values: async ({ home }) => (await home.models()).map((value) => ({ value })),
  async run({ home, session }, name) {
    const { conversation } = session;
    if (name === '') {
      session.note(`the model is ${modelOf(conversation.state)}`);
      const others = await home.models();
      const hint =
        others.length === 0 ? '/model NAME switches, such as /model openai/gpt-5' : `known: ${others.join(', ')}`;
      session.note(hint);
      return;
    }
    if (/\s/.test(name))
      throw new ChatMistake(`/model: expected one name, such as openai/gpt-5, found ${JSON.stringify(name)}`);
    await conversation.settings.setModel(await home.modelNamed(name, conversation));
    session.note(`from the next request on the model is ${modelOf(conversation.state)}`);
  },
};

/** Shows or sets the policy that decides when a person is asked. */
export const policy: SlashCommand = {
  name: 'policy',
  argument: '[never|risky|always]',
  about: 'show or set which calls wait for you',
  values: () => Promise.resolve(Object.keys(POLICIES).map((value) => ({ value }))),
  async run({ home, session }, name) {
    const { conversation } = session;
    if (name === '') {
      session.note(policySentence(conversation.state));
      session.note('/policy never, risky or always changes that');
      return;
    }
    if (!isPolicy(name))
      throw new ChatMistake(`/policy: expected never, risky or always, found ${JSON.stringify(name)}`);
    // ratings first, because a policy without them asks about everything
    if (name === 'risky') await conversation.settings.setSecurityAnalyzer(await home.analyzer());
    await conversation.settings.setConfirmationPolicy(POLICIES[name]);
    const ended = await askAgain(conversation);
    session.note(
      `from now on ${policySentence(conversation.state)}${ended > 0 ? '; earlier answers "always" ended' : ''}`,
    );
  },
};

function isPolicy(name: string): name is PolicyName {
  return Object.hasOwn(POLICIES, name);
}
