import type { Conversation, ConversationView } from '@conv/core';
import { visibleText } from '@conv/visualize/text';
import { type ReactElement, useState } from 'react';
import { useLoaded } from '../conversation/use-loaded.ts';
import { amounts } from '../design/amounts.ts';
import { policyName } from '../act/policy-choice.tsx';
import { plainState } from './plain-state.ts';
import { ShownEvent } from './shown-event.tsx';

/** Shows the state of a conversation after an event. */
export function StatePanel({
  conversation,
  event,
}: {
  readonly conversation: Conversation;
  readonly event: number;
}): ReactElement {
  const { value, failure, loading } = useLoaded(String(event), async () => ({
    event,
    state: (await conversation.history.at({ event })).state,
  }));
  const [isOpen, setOpen] = useState(false);
  if (failure) return <p role="alert">The state cannot be read: {failure}</p>;
  if (!value) return <p className="conv-quiet">Reading the state …</p>;
  const { state } = value;
  return (
    <div aria-busy={loading}>
      <ShownEvent shown={value.event} wanted={event} />
      <dl className="cv-facts">
        {factsOf(state).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{visibleText(text)}</dd>
          </div>
        ))}
      </dl>
      {state.taskList.length > 0 && (
        <>
          <h3>Tasks</h3>
          <ul className="conv-tasks">
            {state.taskList.map(({ title, status }, place) => (
              <li key={place} data-status={status}>
                {visibleText(title)}
              </li>
            ))}
          </ul>
        </>
      )}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>The whole state as JSON</summary>
        {isOpen && (
          <pre className="conv-output" tabIndex={0}>
            {visibleText(JSON.stringify(plainState(state), null, 2))}
          </pre>
        )}
      </details>
    </div>
  );
}

function factsOf(state: ConversationView): readonly (readonly [name: string, text: string])[] {
  const { metrics } = state;
  const usage = Object.entries(state.stats);
  return [
    ['Status', state.executionStatus.replaceAll('_', ' ')],
    ['Title', state.title ?? '–'],
    [
      'Model',
      usage
        .map(([, { modelName }]) => modelName)
        .filter(Boolean)
        .join(', ') || '–',
    ],
    ['Policy', policyName(state.confirmationPolicy)],
    ['Steps', amounts.count(state.iteration)],
    ['Waiting calls', amounts.count(state.pendingActions.length)],
    ['Queued messages', amounts.count(state.queue.length)],
    ['Cost', amounts.dollars(metrics.totalCost)],
    ['Tokens in', amounts.count(metrics.inputTokens)],
    ['Tokens out', amounts.count(metrics.outputTokens)],
    ['Working folder', state.workspace.workingDir],
  ];
}
