import { type ReactElement, useEffect, useState } from 'react';
import { Notice } from '../design/notice.tsx';
import { useConnection, useStudio } from './studio.ts';

/** Milliseconds for which the return is shown. */
const SHOWN = 6000;

/** Shows that the connection is lost, and when the page has caught up. */
export function ConnectionNotice(): ReactElement | null {
  const { list } = useStudio();
  const { lost, since, returns } = useConnection();
  const [caughtUp, setCaughtUp] = useState(0);
  const [quiet, setQuiet] = useState(0);
  useEffect(() => {
    if (returns > 0) void list.refresh().then(() => setCaughtUp(returns));
  }, [list, returns]);
  useEffect(() => {
    if (caughtUp === 0) return undefined;
    const timer = setTimeout(() => setQuiet(caughtUp), SHOWN);
    return () => clearTimeout(timer);
  }, [caughtUp]);
  if (lost)
    return (
      <Notice tone="bad">
        <strong>Connection lost.</strong> This is the state of {new Date(since).toLocaleTimeString()}. Trying again…
      </Notice>
    );
  if (returns === quiet) return null;
  return (
    <Notice tone="good">
      {caughtUp === returns ? 'Connected again. Everything is up to date.' : 'Connected again. Catching up…'}
    </Notice>
  );
}
