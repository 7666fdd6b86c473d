import type { PendingAction, StateFields } from '@conv/core';
import { type ReactElement, useState } from 'react';
import { useServer } from '../app/studio.ts';
import { useSettled } from '../conversation/use-settled.ts';
import { Button } from '../design/button.tsx';
import { useActing } from './actions.ts';

/** Milliseconds that a program has to answer a call before a person is asked. */
const PROGRAMS = 2_000;

/** Returns the calls of client tools that wait for a person, because no program answered them at once. */
export function useClientCalls(): readonly PendingAction[] {
  const { conversation } = useActing();
  const calls = openClientCalls(conversation.state);
  const lasting = useSettled(calls.map(({ id }) => id).join(' '), PROGRAMS)?.split(' ');
  return calls.filter(({ id }) => lasting?.includes(id));
}

/** Returns the calls of client tools that run and wait for an answer. */
function openClientCalls(
  state: Pick<StateFields, 'clientTools' | 'calls'> & { readonly pendingActions: readonly PendingAction[] },
): readonly PendingAction[] {
  const names = new Set(state.clientTools.map(({ name }) => name));
  return state.pendingActions.filter(({ id, tool_name: name }) => names.has(name) && state.calls[id] === 'started');
}

/** Shows calls of client tools, which a person may answer here. */
export function ClientAnswers(): ReactElement | null {
  const calls = useClientCalls();
  if (calls.length === 0) return null;
  return (
    <section className="approvals" aria-label="Calls that wait for an answer">
      {calls.map((action) => (
        <ClientAnswer key={action.id} action={action} />
      ))}
    </section>
  );
}

function ClientAnswer({ action }: { readonly action: PendingAction }): ReactElement {
  const { conversation, actions, readOnly } = useActing();
  const [text, setText] = useState('');
  const canAnswer = useServer().capabilities.has('call_answers_v1');
  const unavailable = readOnly ?? (canAnswer ? null : 'This server does not let clients answer calls');
  const answer = (isError: boolean): void =>
    void actions.run('answer', () => conversation.answerCall(action.id, { content: text, isError }));
  return (
    <article className="approval" aria-label={`Answer ${action.tool_name}`}>
      <h3>
        The agent calls <code>{action.tool_name}</code>, which a client answers
      </h3>
      <pre className="approval-json">{action.tool_call.arguments}</pre>
      <textarea
        className="input"
        aria-label={`Answer to ${action.tool_name}`}
        rows={3}
        value={text}
        disabled={unavailable !== null}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row" data-end data-wrap>
        <Button unavailable={unavailable} onClick={() => answer(true)}>
          Answer that it failed
        </Button>
        <Button
          look="main"
          unavailable={unavailable ?? (text === '' ? 'Write the answer first' : null)}
          onClick={() => answer(false)}
        >
          Answer
        </Button>
      </div>
    </article>
  );
}
