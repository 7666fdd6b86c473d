import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { waitsForPerson } from '../data/row.ts';
import { Icon } from '../design/icon.tsx';
import { Notice } from '../design/notice.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { ShellMenu } from './shell-menu.tsx';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { useShortcut } from './shortcuts.ts';
import { useList, useServer } from './studio.ts';

/** The bar above every view. */
export function Shell({ children }: { readonly children: ReactNode }): ReactElement {
  const { readOnly, place } = useServer();
  const [sheet, setSheet] = useState(false);
  const [path, navigate] = useLocation();
  const waiting = useList().rows.filter(waitsForPerson).length;
  useShortcut('?', 'Show the shortcuts', () => setSheet(true));
  useShortcut('g l', 'Go to all conversations', () => navigate('/'));
  useShortcut('n', 'Start a conversation', () => navigate('/new'));
  useFocusOfView(path);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="bar">
        <Link href="/" className="bar-home" aria-label="Studio: all conversations">
          <span className="bar-mark" aria-hidden="true" />
          Studio
        </Link>
        <span className="bar-place cut mono" title={place}>
          {place}
        </span>
        <span className="grow" />
        {waiting > 0 && (
          <Link href="/?status=waiting_for_confirmation" className="bar-waiting">
            {waiting}
            <span className="bar-wide"> {waiting === 1 ? 'waits' : 'wait'} for you</span>
          </Link>
        )}
        {readOnly === null && (
          <Link href="/new" className="button" data-look="main" aria-label="New conversation">
            <Icon name="plus" />
            <span className="bar-wide">New conversation</span>
          </Link>
        )}
        <ShellMenu onShortcuts={() => setSheet(true)} />
      </header>
      <div className="shell-notices">
        <ConnectionNotice />
        {readOnly !== null && (
          <Notice tone="careful" icon="lock">
            {/^read-only/i.test(readOnly) || <strong>Read-only. </strong>}
            {readOnly}
          </Notice>
        )}
      </div>
      <main id="main" className="shell-main" tabIndex={-1}>
        {children}
      </main>
      <ShortcutSheet open={sheet} onClose={() => setSheet(false)} />
    </div>
  );
}

/** Moves the focus into a view that was just opened, unless the view has taken it, so that a screen reader continues there. */
function useFocusOfView(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
  }, [path]);
}
