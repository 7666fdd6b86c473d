import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { ViewBoundary } from '../design/view-boundary.tsx';

/** Properties of {@link SidePanel}. */
export interface SidePanelProps {
  readonly title: string;
  /** True to take the focus when it opens, and to give it back. A panel that follows the scrubber leaves it there. */
  readonly takesFocus: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A panel beside the timeline; on a narrow screen a sheet over it. Escape closes it. */
export function SidePanel({ title, takesFocus, onClose, children }: SidePanelProps): ReactElement {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!takesFocus) return undefined;
    const before = document.activeElement;
    panel.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [takesFocus]);
  return (
    <section
      ref={panel}
      className="cv-panel"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" className="button" data-look="plain" data-size="small" onClick={onClose}>
          Close
        </button>
      </header>
      <div className="cv-panel-body">
        {/* a panel that failed is tried again when it shows something else, as after a new event */}
        <ViewBoundary place={children} what="panel">
          {children}
        </ViewBoundary>
      </div>
    </section>
  );
}
