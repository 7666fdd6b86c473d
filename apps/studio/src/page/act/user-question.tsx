import type { CallAnswer, PendingAction } from '@conv/core';
import { questions } from '@conv/openhands/client-tools';
import { type FormEvent, type ReactElement, type ReactNode, useId, useState } from 'react';
import { useServer } from '../app/studio.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { useActing } from './actions.ts';
import { beginRun } from './begin-run.ts';
import { fieldsIn, type Mistakes, mistakesIn } from './question-answer.ts';
import { QuestionFields } from './question-fields.tsx';

const NONE: Mistakes = new Map();

/** Properties of {@link AskUserCall}. */
export interface AskUserCallProps {
  readonly action: PendingAction;
  /** Shown for a call of a caller's own tool, which may have the name of the built-in one. */
  readonly otherwise: ReactNode;
}

/** Shows a call of a tool `ask_user`. */
export function AskUserCall({ action, otherwise }: AskUserCallProps): ReactNode {
  const isBuiltIn = useActing().conversation.state.clientTools.some(questions.isAskUser);
  return isBuiltIn ? <UserQuestion action={action} /> : otherwise;
}

/** Shows a question of the agent or of an MCP server: choices, fields, an address, or a text to write. */
function UserQuestion({ action }: { readonly action: PendingAction }): ReactElement {
  const { conversation, actions, readOnly } = useActing();
  const canAnswer = useServer().capabilities.has('call_answers_v1');
  const unavailable = readOnly ?? (canAnswer ? null : 'This server does not let clients answer calls');
  const asked = questions.read(action);
  const { question, fields, url, from } = asked;
  const id = useId();
  // true until the question leaves the page with its answer
  const [isSent, setSent] = useState(false);
  const [mistakes, setMistakes] = useState(NONE);
  const send = async (answer: CallAnswer & { readonly content: string }): Promise<void> => {
    if (isSent) return;
    const found = mistakesIn(asked, answer);
    setMistakes(found);
    if (found.size > 0) return;
    setSent(true);
    if (!(await actions.run('answer', () => conversation.answerCall(action.id, answer)))) return setSent(false);
    await actions.run('run', () => beginRun(conversation));
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = form.get('answer');
    // with its action, because a form may have a field of that name
    if (fields) void send({ content: JSON.stringify({ action: 'accept', content: fieldsIn(fields, form) }) });
    else void send({ content: url === undefined && typeof given === 'string' ? given : 'accept' });
  };
  const isText = fields === undefined && url === undefined;
  // the choices of a form are those of its fields
  const choices = isText ? (asked.choices ?? []) : [];
  const isWritten = isText && (choices.length === 0 || asked.freeText);
  const whole = mistakes.get('');
  return (
    <article className="approval" aria-labelledby={`${id}-who ${id}-what`}>
      <h3 id={`${id}-who`}>{from === undefined ? 'The agent asks you' : `The MCP server ${from} asks you`}</h3>
      <p id={`${id}-what`}>{question}</p>
      {url !== undefined && <Address url={url} />}
      <form className="stack" onSubmit={submit}>
        {choices.length > 0 && (
          <div role="group" aria-label="Choices" className="row" data-wrap>
            {choices.map((choice) => (
              <Button
                key={choice}
                busy={isSent}
                unavailable={unavailable}
                onClick={() => void send({ content: choice })}
              >
                {choice}
              </Button>
            ))}
          </div>
        )}
        {fields && <QuestionFields fields={fields} mistakes={mistakes} />}
        {isWritten && (
          <Field label="Your answer" wrong={whole}>
            {(input) => <textarea {...input} name="answer" rows={3} required />}
          </Field>
        )}
        {!isWritten && whole !== undefined && (
          <p role="alert" className="field-wrong">
            {whole}
          </p>
        )}
        <div className="row" data-end data-wrap>
          {!isText && (
            <Button busy={isSent} unavailable={unavailable} onClick={() => void send({ content: 'cancel' })}>
              Cancel
            </Button>
          )}
          <Button
            busy={isSent}
            unavailable={unavailable}
            onClick={() => void send(isText ? { content: '', isError: true } : { content: 'decline' })}
          >
            Decline
          </Button>
          {(isWritten || !isText) && (
            <Button look="main" type="submit" busy={isSent} unavailable={unavailable}>
              {url === undefined || fields ? 'Answer' : 'I have opened it'}
            </Button>
          )}
        </div>
      </form>
    </article>
  );
}

/** Shows an address as text, and as a link if it leads to a web page. */
function Address({ url }: { readonly url: string }): ReactElement {
  const isWeb = /^https?:\/\//.test(url);
  return (
    <p className="question-address">
      {isWeb ? (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {url}
        </a>
      ) : (
        url
      )}
    </p>
  );
}
