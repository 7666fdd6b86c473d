import type { Agent, Transaction } from '@conv/core';
import { isText, textContent, type EventDraftOfKind, type EventOfKind } from '@conv/core/events';

/**
 * Returns the message with the content that the agent adds. It belongs to the commit that stores or queues the message, so the
 * addition is durable with it and happens once.
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

/** Returns the text of a message without its images. */
export function textOf({ llm_message: { content } }: Pick<EventOfKind<'MessageEvent'>, 'llm_message'>): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}
