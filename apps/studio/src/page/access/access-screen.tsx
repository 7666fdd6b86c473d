import { type FormEvent, type ReactElement, useState } from 'react';
import { ConnectionNotice } from '../app/connection-notice.tsx';
import { useStudio } from '../app/studio.ts';
import { statusIn, explain } from '../data/explain.ts';
import type { SessionState } from '../data/session.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';

type Why = Extract<SessionState, { readonly kind: 'locked' }>['why'];

const WORDS: Readonly<Record<Exclude<Why, 'new'>, string>> = {
  ended: 'The session has ended, for example because the server was started again.',
  forgotten: 'The session is forgotten: this browser no longer has access.',
  'used-link': 'This start link was used before or is too old. Start studio again for a new link, or enter a key.',
};

/** Asks for a key, which is exchanged for a session and kept nowhere. */
export function AccessScreen({ why }: { readonly why: Why }): ReactElement {
  const { session } = useStudio();
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (key.trim() === '') return setWrong('Enter a key of the server.');
    setBusy(true);
    try {
      await session.open(key.trim());
    } catch (error) {
      const refused = statusIn(error) === 401 || statusIn(error) === 403;
      setWrong(refused ? 'The server does not know this key. Check that it is complete.' : explain(error));
      setBusy(false);
    }
  };
  return (
    <main className="access">
      <form className="access-card" onSubmit={(event) => void submit(event)}>
        <h1 className="row">
          <span className="bar-mark" aria-hidden="true" />
          Studio
        </h1>
        <ConnectionNotice />
        {why !== 'new' && <Notice tone={why === 'forgotten' ? 'info' : 'careful'}>{WORDS[why]}</Notice>}
        <Field
          label="Key of the server"
          hint="It is exchanged for a session of this browser, and stored nowhere."
          wrong={wrong}
        >
          {(input) => (
            <input
              {...input}
              type="password"
              autoComplete="off"
              spellCheck={false}
              value={key}
              onChange={(event) => setKey(event.target.value)}
              autoFocus
            />
          )}
        </Field>
        <Button type="submit" look="main" busy={busy}>
          Open
        </Button>
        <p className="quiet small">
          The terminal in which the server was started shows a start link, which opens studio without a key.
        </p>
      </form>
    </main>
  );
}
