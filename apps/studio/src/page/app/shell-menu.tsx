import { type ReactElement, useState, useSyncExternalStore } from 'react';
import { missingFeatures } from '../data/server.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Menu, type MenuEntry } from '../design/menu.tsx';
import type { NotifyState } from './notifier.ts';
import { applyScheme, type Scheme, storedScheme } from './scheme.ts';
import { useServer, useStudio } from './studio.ts';

const NEXT_SCHEME = { system: 'light', light: 'dark', dark: 'system' } as const satisfies Record<Scheme, Scheme>;

const NOTIFY_WORDS: Readonly<Record<NotifyState, string>> = {
  off: 'Notify me when I am needed',
  on: 'Stop notifying me',
  refused: 'Notifications are blocked',
  impossible: 'Notifications are not supported',
};

/** The menu of the page: notifications, colours, shortcuts, the server, and the end of the session. */
export function ShellMenu({ onShortcuts }: { readonly onShortcuts: () => void }): ReactElement {
  const { notifier, session } = useStudio();
  const notify = useSyncExternalStore(notifier.subscribe, notifier.state);
  const [scheme, setScheme] = useState(storedScheme);
  const [about, setAbout] = useState(false);
  const nextScheme = (): void => {
    applyScheme(NEXT_SCHEME[scheme]);
    setScheme(NEXT_SCHEME[scheme]);
  };
  const entries: readonly MenuEntry[] = [
    {
      label: NOTIFY_WORDS[notify],
      icon: 'bell',
      unavailable:
        notify === 'refused'
          ? 'Allow notifications for this page in the settings of the browser'
          : notify === 'impossible'
            ? 'This browser has none'
            : null,
      onSelect: () => void notifier.toggle(),
    },
    { label: `Colours: ${scheme}`, icon: 'scheme', onSelect: nextScheme },
    { label: 'Keyboard shortcuts', icon: 'keyboard', shortcut: '?', onSelect: onShortcuts },
    { label: 'About this server', icon: 'info', line: true, onSelect: () => setAbout(true) },
    { label: 'Forget the session', icon: 'lock', onSelect: () => void session.forget().catch(() => {}) },
  ];
  return (
    <>
      <Menu
        trigger={
          <Button look="plain" icon="more" iconOnly>
            Menu
          </Button>
        }
        entries={entries}
      />
      <AboutServer open={about} onClose={() => setAbout(false)} />
    </>
  );
}

function AboutServer({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }): ReactElement {
  const server = useServer();
  const missing = missingFeatures(server);
  return (
    <Dialog open={open} onClose={onClose} title="About this server" actions={<Button onClick={onClose}>Close</Button>}>
      <dl className="facts">
        <dt>Conversations</dt>
        <dd className="mono">{server.place}</dd>
        <dt>Version</dt>
        <dd className="mono">{server.version}</dd>
        <dt>Changes</dt>
        <dd>{server.readOnly ?? 'possible'}</dd>
        <dt>Commands</dt>
        <dd>{server.confining}</dd>
      </dl>
      {missing.length === 0 ? (
        <p>It can do all that studio shows.</p>
      ) : (
        <div className="stack">
          <p>This server cannot do the following, so studio goes without it:</p>
          <ul className="bullets">
            {missing.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}
