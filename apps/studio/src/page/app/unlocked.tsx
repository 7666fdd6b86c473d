import { type ReactElement, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { Notice } from '../design/notice.tsx';
import { Spinner } from '../design/spinner.tsx';
import { ViewBoundary } from '../design/view-boundary.tsx';
import { explain } from '../data/explain.ts';
import { readServer, type Server } from '../data/server.ts';
import { Shell } from './shell.tsx';
import { Shortcuts, ShortcutsContext } from './shortcuts.ts';
import { ServerContext, useConnection, useStudio } from './studio.ts';
import { Views } from './views.tsx';

/** The page behind the session: reads what the server can do, then shows the view of the address. */
export function Unlocked(): ReactElement {
  const [server, problem] = useServerInfo();
  const [shortcuts] = useState(() => new Shortcuts());
  const { list, notifier } = useStudio();
  const [path, navigate] = useLocation();
  useEffect(() => shortcuts.start(), [shortcuts]);
  useEffect(() => list.start(), [list]);
  useEffect(() => notifier.start((id) => navigate(`/c/${id}`)), [notifier, navigate]);
  if (!server)
    return (
      <main className="center">
        {problem === undefined ? (
          <Spinner label="Asking the server…" />
        ) : (
          <Notice tone="bad">{explain(problem)}</Notice>
        )}
      </main>
    );
  return (
    <ServerContext value={server}>
      <ShortcutsContext value={shortcuts}>
        <Shell>
          <ViewBoundary place={path} what="page">
            <Suspense fallback={<Spinner label="Loading…" />}>
              <Views />
            </Suspense>
          </ViewBoundary>
        </Shell>
      </ShortcutsContext>
    </ServerContext>
  );
}

/** Returns what the server says of itself, read again after each loss: another version may run then. */
function useServerInfo(): readonly [Server | undefined, unknown] {
  const { api } = useStudio();
  const { returns } = useConnection();
  const [server, setServer] = useState<Server>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    readServer(api).then(setServer, setProblem);
  }, [api, returns]);
  return [server, problem];
}
