import type { pastViews } from '@conv/core';
import type { TimelineBlock } from '@conv/visualize/timeline';

/** Returns the outline as far as the blocks of a window tell it, for servers that give none. */
export function outlineOfBlocks(blocks: readonly TimelineBlock[], events: number): pastViews.Outline {
  const marks = blocks.flatMap((block): pastViews.OutlineMark[] => {
    const kind = kindOf(block);
    const { index: event, timestamp } = block;
    return kind ? [{ kind, event, last: event, count: 1, label: labelOf(block), timestamp }] : [];
  });
  return { from: 0, events, marks, cost: [] };
}

function kindOf(block: TimelineBlock): pastViews.OutlineKind | undefined {
  switch (block.kind) {
    case 'message':
      return block.from === 'user' ? 'message' : 'answer';
    case 'error':
    case 'condensation':
      return block.kind;
    case 'call': {
      const outcome = block.result?.outcome;
      if (outcome === 'failed' || outcome === 'error') return 'error';
      if (outcome === 'rejected' || outcome === 'blocked') return 'rejection';
      if (block.content?.kind === 'finish') return 'finish';
      return block.result?.child === undefined ? undefined : 'subagent';
    }
    case 'hook':
    case 'notice':
      return undefined;
  }
}

function labelOf(block: TimelineBlock): string {
  const text =
    block.kind === 'message'
      ? block.text
      : block.kind === 'error'
        ? block.code
        : block.kind === 'call'
          ? block.title
          : '';
  return text.slice(0, 80).toWellFormed();
}
