import type { PendingAction, StateFields } from '@conv/core';
import { type ReactElement, Suspense, useEffect, useReducer, useState } from 'react';
import { useServer, useStudio } from '../app/studio.ts';
import { Button } from '../design/button.tsx';
import { lazyView } from '../design/lazy-view.ts';
import { useActing } from './actions.ts';

const AskUserCall = lazyView(async () => (await import('./user-question.tsx')).AskUserCall);

/** Returns the calls of client tools that wait for a person, and renders again when there is another one. */
export function useClientCalls(): readonly PendingAction[] {
  const { conversation } = useActing();
  const { questions } = useStudio();
  const [, look] = useReducer((looks: number) => looks + 1, 0);
  const calls = openClientCalls(conversation.state);
  const ids = calls.map(({ id }) => id);
  const asked = questions.asked(ids);
  const next = questions.untilNext(ids);
  useEffect(() => {
    if (next === undefined) return undefined;
    const timer = setTimeout(look, next);
    return () => clearTimeout(timer);
  }, [next]);
  return calls.filter(({ id }) => asked.includes(id));
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
      {calls.map((action) =>
        action.tool_name === 'ask_user' ? (
          <Suspense key={action.id} fallback={null}>
            <AskUserCall action={action} otherwise={<ClientAnswer action={action} />} />
          </Suspense>
        ) : (
          <ClientAnswer key={action.id} action={action} />
        ),
      )}
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
