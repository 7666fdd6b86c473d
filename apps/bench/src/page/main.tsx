import '@conv/visualize/react/style.css';
import './bare-list.css';
import type { Conversation } from '@conv/core';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import { TimelineList } from '@conv/visualize/react';
import { type NumberedEvent, timeline, type TimelineBlock } from '@conv/visualize/timeline';
import { type ReactElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** Events of a read. */
const PAGE = 200;

/** Resolves with the blocks of the newest `most` events. */
async function readBlocks({ events }: Conversation, most: number): Promise<readonly TimelineBlock[]> {
  const found: NumberedEvent[] = [];
  for (let from = Math.max(0, events.length - most); from < events.length; from += PAGE) {
    const page = await events.slice(from, from + PAGE);
    found.push(...page.map((event, offset) => ({ index: from + offset, event })));
  }
  return timeline(found);
}

/** Shows blocks in the list component alone, with a slider that chooses the block of an event. */
function BareList({
  blocks,
  total,
}: {
  readonly blocks: readonly TimelineBlock[];
  readonly total: number;
}): ReactElement {
  const [point, setPoint] = useState(total - 1);
  const chosen = blocks.findLastIndex(({ index }) => index <= point);
  return (
    <>
      <TimelineList blocks={blocks} chosen={chosen} future={chosen + 1} onDetails={ignore} />
      <input
        type="range"
        className="bare-slider"
        min={0}
        max={total - 1}
        value={point}
        onChange={({ target }) => setPoint(target.valueAsNumber)}
      />
    </>
  );
}

function ignore(): void {}

const [id = '', most] = location.hash.slice(1).split(':');
const workspace = new RemoteWorkspace({ host: location.origin });
const conversation = await openRemoteConversation({}, { id, workspace, create: 'never' });
const blocks = await readBlocks(conversation, Number(most));
const place = document.getElementById('list');
if (!place) throw new Error('expected the element #list in the page, found none; serve it with one');
createRoot(place).render(<BareList blocks={blocks} total={conversation.events.length} />);
