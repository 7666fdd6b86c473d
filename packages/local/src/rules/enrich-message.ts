import type { Agent, Transaction } from '@conv/core';
import { isText, textContent, type EventDraftOfKind, type EventOfKind } from '@conv/core/events';

/**
 * The message with what the agent adds to it. A part of the commit that stores or queues it: what was added is on record as
 * soon as the message is, and comes once.
 */
export function enrichMessage(
  transaction: Transaction,
  agent: Agent,
  message: EventDraftOfKind<'MessageEvent'>,
): EventDraftOfKind<'MessageEvent'> {
  if (!agent.enrich) return message;
  transaction.validate(message);
  const { activatedKnowledgeSkills: activated } = transaction.state;
  const { extendedContent, activatedSkills } = agent.enrich(textOf(message), { activated });
  if (activatedSkills.length > 0) transaction.update({ add: { activatedKnowledgeSkills: activatedSkills } });
  const { extended_content: content = [], activated_skills: skills = [] } = message;
  return {
    ...message,
    extended_content: [...content, ...extendedContent.map((text) => textContent(text))],
    activated_skills: [...skills, ...activatedSkills],
  };
}

/** The text of a message; images say nothing to a hook. */
export function textOf({ llm_message: { content } }: Pick<EventOfKind<'MessageEvent'>, 'llm_message'>): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}
