import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import { Router } from 'wouter';
import { AccessScreen } from '../access/access-screen.tsx';
import { Spinner } from '../design/spinner.tsx';
import { type Studio, StudioContext, useConnection, useStudio } from './studio.ts';
import { Unlocked } from './unlocked.tsx';

/** Properties of {@link App}. */
export interface AppProps {
  readonly studio: Studio;
  /** The ticket of the start link that opened the page. */
  readonly ticket: string | undefined;
}

/** The whole page. Without a session it shows nothing but the access screen. */
export function App({ studio, ticket }: AppProps): ReactElement {
  const { session, connection } = studio;
  const state = useSyncExternalStore(session.subscribe, session.state);
  useEffect(() => connection.start(), [connection]);
  return (
    <StudioContext value={studio}>
      <Router base="/studio">
        {state.kind === 'open' && <Unlocked />}
        {state.kind === 'locked' && <AccessScreen why={state.why} />}
        {state.kind === 'checking' && <Checking ticket={ticket} />}
      </Router>
    </StudioContext>
  );
}

/** Asks for the session, and asks again when the server is back after silence. */
function Checking({ ticket }: Pick<AppProps, 'ticket'>): ReactElement {
  const { session } = useStudio();
  const { returns, lost } = useConnection();
  useEffect(() => {
    // the connection knows of the missing answer, and asks again when the server is back
    session.begin(ticket).catch(() => {});
  }, [session, ticket, returns]);
  return (
    <main className="center">
      <Spinner label={lost ? 'The server does not answer. Trying again…' : 'Opening studio…'} />
    </main>
  );
}
