import '@conv/visualize/react/style.css';
import './conversation.css';
import '../time/time.css';
import type { Conversation } from '@conv/core';
import type { TimelineBlock } from '@conv/visualize/timeline';
import { type ReactElement, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { explain } from '../data/explain.ts';
import { lazyView } from '../design/lazy-view.ts';
import { ReadingNote } from '../time/reading-note.tsx';
import { Scrubber } from '../time/scrubber.tsx';
import { readBefore, useOutline } from '../time/use-outline.ts';
import { ChildLane } from './child-lane.tsx';
import { usePoint } from './use-point.ts';
import { useSettled } from './use-settled.ts';
import { SidePanel } from './side-panel.tsx';
import { LiveOutputView } from './live-output-view.tsx';
import { useLiveAnswers, useLiveOutputs, useWindow } from './use-window.ts';
import { WindowTimeline } from './window-timeline.tsx';

// loaded when a panel is first opened, so that the timeline is there early
const EventDetails = lazyView(async () => (await import('./event-details.tsx')).EventDetails);
const PointPanel = lazyView(async () => (await import('../time/point-panel.tsx')).PointPanel);

/**
 * Milliseconds for which the scrubber rests before the panel follows it: a panel is much to draw and to read. Until then it shows the
 * event before, under the number of that event.
 */
const REST = 200;

/** Properties of {@link ConversationView}. */
export interface ConversationViewProps {
  readonly conversation: Conversation;
  /** Resolves with another conversation, which stays open while this page needs it. */
  readonly open: (id: string) => Promise<Conversation>;
  /** Goes to a path of this page, such as `/c/ID`. */
  readonly go: (path: string) => void;
  /** The reason why nothing can be changed; `null` if it can. */
  readonly readOnly?: string | null;
  /** Returns what is shown at the end of a block, such as buttons that decide on its call. */
  readonly footer?: ((block: TimelineBlock) => ReactNode) | undefined;
}

/** Shows a conversation: its timeline, the time machine below it, and a panel for details beside it. */
export function ConversationView(props: ConversationViewProps): ReactElement {
  const { conversation, open, go, readOnly = null, footer } = props;
  const { point, eventId, setPoint } = usePoint();
  const panelPoint = useSettled(point, REST);
  const { window, shown } = useWindow(conversation);
  const answers = useLiveAnswers(conversation);
  const outputs = useLiveOutputs(conversation);
  const [chosen, setChosen] = useState<number>();
  const [details, setDetails] = useState<TimelineBlock>();
  const [isPanelOpen, setPanelOpen] = useState(() => matchMedia('(min-width: 70rem)').matches);
  // the server reads the log for it, and what a person sees first comes before
  const { outline, covers } = useOutline(conversation, {
    total: shown.total,
    isReady: !shown.loading,
    blocks: shown.blocks,
  });

  const unpassed = readBefore({ outline, covers }, panelPoint ?? 0);

  useEffect(() => {
    void (point === undefined ? window.toEnd() : window.moveTo(point));
  }, [window, point]);
  useEffect(() => {
    if (eventId === undefined) return;
    void conversation.events.indexOf(eventId).then(async (index) => {
      if (index === undefined) return;
      await window.moveTo(index);
      setChosen(index);
    });
  }, [conversation, window, eventId]);

  const onPoint = useCallback(
    (next: number | undefined): void => {
      setDetails(undefined);
      setChosen(next);
      setPoint(next);
    },
    [setPoint],
  );
  const blockFooter = useCallback(
    (block: TimelineBlock): ReactNode => (
      <>
        {block.kind === 'call' && <LiveOutputView block={block} outputs={outputs} />}
        {block.kind === 'call' && block.result?.child !== undefined && (
          <ChildLane id={block.result.child} open={open} go={go} />
        )}
        {footer?.(block)}
      </>
    ),
    [open, go, footer, outputs],
  );
  const panel = useMemo(() => {
    if (details)
      return (
        <SidePanel key={details.id} title={`Event ${details.index}`} takesFocus onClose={() => setDetails(undefined)}>
          <Suspense fallback={<p className="conv-quiet">Loading …</p>}>
            <EventDetails conversation={conversation} block={details} onPoint={onPoint} />
          </Suspense>
        </SidePanel>
      );
    if (panelPoint === undefined || !isPanelOpen) return null;
    return (
      <SidePanel key="point" title={`At event ${panelPoint}`} takesFocus={false} onClose={() => setPanelOpen(false)}>
        <Suspense fallback={<p className="conv-quiet">Loading …</p>}>
          <PointPanel
            conversation={conversation}
            event={panelPoint}
            open={open}
            go={go}
            onLive={() => onPoint(undefined)}
            readOnly={readOnly}
            total={shown.total}
            unpassed={unpassed}
            onPoint={onPoint}
          />
        </Suspense>
      </SidePanel>
    );
  }, [details, panelPoint, isPanelOpen, conversation, open, go, onPoint, readOnly, shown.total, unpassed]);

  return (
    <div className="cv" data-panel={panel ? true : undefined}>
      <div className="cv-main">
        {shown.failure !== undefined && (
          <p role="alert" className="notice" data-tone="bad">
            The events cannot be read: {explain(shown.failure)}
            <button
              type="button"
              className="button"
              data-size="small"
              onClick={() => void (point === undefined ? window.toEnd() : window.moveTo(point))}
            >
              Try again
            </button>
          </p>
        )}
        {shown.total === 0 && answers.length === 0 && <p className="cv-empty quiet">No events yet.</p>}
        <WindowTimeline
          window={window}
          shown={shown}
          answers={point === undefined ? answers : NO_ANSWERS}
          point={point}
          chosen={chosen}
          onChoose={setChosen}
          onDetails={setDetails}
          footer={blockFooter}
        />
      </div>
      {panel}
      {shown.total > 0 && (
        <footer className="cv-foot">
          <Scrubber outline={outline} isPart={covers === 'part'} total={shown.total} point={point} onPoint={onPoint} />
          <div className="cv-foot-more">
            <button
              type="button"
              className="button"
              data-look="plain"
              data-size="small"
              onClick={() => go(`/c/${conversation.id}/understand`)}
            >
              Understand
            </button>
            {covers === 'missing' && <span className="quiet small">Marks of the part that was read</span>}
            {covers === 'part' && <ReadingNote what="marks" events={outline.events} total={shown.total} />}
            {point !== undefined && !isPanelOpen && (
              <button type="button" className="button" data-size="small" onClick={() => setPanelOpen(true)}>
                At this point
              </button>
            )}
            {point !== undefined && (
              <button type="button" className="button" data-size="small" onClick={() => onPoint(undefined)}>
                Back to live
              </button>
            )}
          </div>
        </footer>
      )}
    </div>
  );
}

const NO_ANSWERS: ReturnType<typeof useLiveAnswers> = [];
