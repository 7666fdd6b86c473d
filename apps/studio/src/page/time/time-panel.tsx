import type { Conversation } from '@conv/core';
import { type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import { ChangesPanel } from './changes-panel.tsx';
import { FilesPanel } from './files-panel.tsx';
import { ModelView } from './model-view.tsx';
import { StatePanel } from './state-panel.tsx';

const TABS = [
  { id: 'view', label: 'Model’s view' },
  { id: 'state', label: 'State' },
  { id: 'changes', label: 'Changes' },
  { id: 'files', label: 'Files' },
] as const;

type TabId = (typeof TABS)[number]['id'];

/** Properties of {@link TimePanel}. */
export interface TimePanelProps {
  readonly conversation: Conversation;
  /** The number of the event that is looked at. */
  readonly event: number;
  readonly total: number;
  readonly onPoint: (event: number) => void;
}

/** Shows what holds at a point of the log: the model's view, the state, what changed, and the files. */
export function TimePanel({ conversation, event, total, onPoint }: TimePanelProps): ReactElement {
  const [tab, setTab] = useState<TabId>('view');
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    const next = TABS[(TABS.findIndex(({ id }) => id === tab) + step + TABS.length) % TABS.length];
    if (step === 0 || !next) return;
    setTab(next.id);
    list.current?.querySelector<HTMLElement>(`#tm-tab-${next.id}`)?.focus();
  };
  return (
    <>
      <div className="tm-tabs" role="tablist" aria-label={`At event ${event}`} ref={list} onKeyDown={onKeyDown}>
        {TABS.map(({ id, label }) => (
          <button
            key={id}
            id={`tm-tab-${id}`}
            type="button"
            role="tab"
            className="tm-tab"
            aria-selected={id === tab}
            aria-controls="tm-tab-panel"
            data-active={id === tab || undefined}
            tabIndex={id === tab ? 0 : -1}
            onClick={() => setTab(id)}
          >
            {label}
          </button>
        ))}
      </div>
      <div id="tm-tab-panel" role="tabpanel" aria-labelledby={`tm-tab-${tab}`} className="tm-panel">
        {tab === 'view' && <ModelView conversation={conversation} event={event} />}
        {tab === 'state' && <StatePanel conversation={conversation} event={event} />}
        {tab === 'changes' && <ChangesPanel conversation={conversation} event={event} total={total} />}
        {tab === 'files' && <FilesPanel conversation={conversation} event={event} onPoint={onPoint} />}
      </div>
    </>
  );
}
