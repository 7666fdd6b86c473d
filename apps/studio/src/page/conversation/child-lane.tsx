import type { Conversation } from '@conv/core';
import { BlockView } from '@conv/visualize/react';
import { type ReactElement, useEffect, useState } from 'react';
import { explain } from '../data/explain.ts';
import { readEarlier } from '../window/read-earlier.ts';
import { useWindow } from './use-window.ts';

/** Blocks of a child that are shown before a person asks for more. */
const FEW = 12;

/** Properties of {@link ChildLane}. */
export interface ChildLaneProps {
  /** The id of the child conversation. */
  readonly id: string;
  /** Resolves with a conversation that stays open while this page needs it. */
  readonly open: (id: string) => Promise<Conversation>;
  /** Goes to a path of this page. */
  readonly go: (path: string) => void;
}

/** Shows the conversation of a sub-agent inside the block of its call, once a person opens it. */
export function ChildLane({ id, open, go }: ChildLaneProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const [child, setChild] = useState<Conversation | Error>();
  useEffect(() => {
    if (!isOpen || child) return undefined;
    let isWanted = true;
    open(id).then(
      (opened) => isWanted && setChild(opened),
      (error: unknown) => isWanted && setChild(error instanceof Error ? error : new Error(String(error))),
    );
    return () => void (isWanted = false);
  }, [isOpen, child, open, id]);
  const toggle = (opens: boolean): void => {
    setOpen(opens);
    // opened again after a failure, it is tried again
    if (opens) setChild((before) => (before instanceof Error ? undefined : before));
  };
  return (
    <details className="cv-child" onToggle={({ currentTarget }) => toggle(currentTarget.open)}>
      <summary>Conversation of the sub-agent</summary>
      {isOpen && !child && <p className="conv-quiet">Opening …</p>}
      {child instanceof Error && <p role="alert">It cannot be opened: {explain(child)}</p>}
      {isOpen && child && !(child instanceof Error) && <Lane child={child} open={open} go={go} />}
    </details>
  );
}

function Lane({ child, open, go }: { readonly child: Conversation } & Omit<ChildLaneProps, 'id'>): ReactElement {
  const { window, shown } = useWindow(child);
  const [most, setMost] = useState(FEW);
  useEffect(() => void window.toEnd(), [window]);
  const blocks = shown.blocks.slice(-most);
  const hasEarlier = shown.first > 0 || shown.blocks.length > most;
  const newest = async (): Promise<void> => {
    await window.toEnd();
    setMost(FEW);
  };
  const earlier = async (): Promise<void> => {
    if (shown.blocks.length <= most + FEW) await readEarlier(window);
    setMost(most + FEW);
  };
  return (
    <div className="cv-lane">
      <div className="row" data-wrap>
        {hasEarlier && (
          <button type="button" className="button" data-size="small" onClick={() => void earlier()}>
            Show earlier
          </button>
        )}
        {shown.end < shown.total && !shown.loading && (
          <button type="button" className="button" data-size="small" onClick={() => void newest()}>
            Show the newest
          </button>
        )}
        <button type="button" className="button" data-size="small" onClick={() => go(`/c/${child.id}`)}>
          Open as a page
        </button>
      </div>
      {shown.loading && <p className="conv-quiet">Reading …</p>}
      {blocks.map((block) => (
        <BlockView key={block.id} block={block}>
          {block.kind === 'call' && block.result?.child !== undefined && (
            <ChildLane id={block.result.child} open={open} go={go} />
          )}
        </BlockView>
      ))}
    </div>
  );
}
