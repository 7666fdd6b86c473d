import { userMessage, type EventDraftOfKind, type GoalStatus } from '@conv/core/events';
import { truncateMiddle } from '@conv/core';

/** The sender of messages that a goal, and no person, sends as the user. */
const GOAL_SENDER = 'goal';

/** Maximum characters of the verdict's missing part that the model reads. */
const MAX_MISSING = 20_000;

/** Returns the message to the agent after a round that did not reach the goal. */
export function followUp({
  objective,
  iteration,
  max_iterations: rounds,
  verdict,
}: GoalStatus): EventDraftOfKind<'MessageEvent'> {
  const missing = truncateMiddle(
    verdict?.missing?.trim() || 'The judge did not say what; look at the goal again.',
    MAX_MISSING,
  );
  const text = `The goal is not reached yet: a judge has looked at your work and is not convinced (round ${iteration} of ${rounds}).

What is missing:
${missing}

The goal:
${objective}

Continue. Do what is missing, check for yourself that the whole goal is reached, and show what proves it before you finish. If something of it cannot be done, say what and why.`;
  return userMessage(text, { sender: GOAL_SENDER });
}
