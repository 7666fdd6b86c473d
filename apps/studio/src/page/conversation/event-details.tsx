import type { Conversation } from '@conv/core';
import { CodeText, FoldedText } from '@conv/visualize/react';
import { visibleText } from '@conv/visualize/text';
import type { NumberedEvent, TimelineBlock } from '@conv/visualize/timeline';
import { type ReactElement, useMemo } from 'react';
import { amounts } from '../design/amounts.ts';
import { ModelView } from '../time/model-view.tsx';
import { requestOf } from './request-of.ts';
import { useLoaded } from './use-loaded.ts';

/** Lines of stored JSON that are shown before a person asks for more. */
const SOME = { lines: 80, characters: 12_000 };

/** Properties of {@link EventDetails}. */
export interface EventDetailsProps {
  readonly conversation: Conversation;
  readonly block: TimelineBlock;
  /** Goes back to an event in the time machine. */
  readonly onPoint: (event: number) => void;
}

/** Shows the stored events of a block, and the request of the model that the first of them came from. */
export function EventDetails({ conversation, block, onPoint }: EventDetailsProps): ReactElement {
  const [first] = block.events;
  return (
    <>
      <div className="row" data-wrap>
        <button type="button" className="button" data-size="small" onClick={() => onPoint(block.index)}>
          Go back to this point
        </button>
      </div>
      {first && first.event.source === 'agent' && <RequestPart conversation={conversation} entry={first} />}
      {block.events.map((entry) => (
        <StoredEvent key={entry.index} entry={entry} />
      ))}
    </>
  );
}

function StoredEvent({ entry }: { readonly entry: NumberedEvent }): ReactElement {
  const text = useMemo(() => visibleText(JSON.stringify(entry.event, null, 2)), [entry]);
  return (
    <section>
      <h3>
        Event {entry.index} · {entry.event.kind}
      </h3>
      <FoldedText text={text} first={SOME}>
        {(part) => (
          <pre className="conv-output" tabIndex={0}>
            <CodeText text={part} language="json" />
          </pre>
        )}
      </FoldedText>
    </section>
  );
}

function RequestPart({
  conversation,
  entry,
}: {
  readonly conversation: Conversation;
  readonly entry: NumberedEvent;
}): ReactElement | null {
  const { value, failure, loading } = useLoaded(entry.event.id, () =>
    requestOf(conversation, entry.index, entry.event),
  );
  if (failure) return <p className="conv-quiet">The request cannot be shown: {failure}</p>;
  if (!value) return loading ? <p className="conv-quiet">Reading the request …</p> : null;
  return (
    <section>
      <h3>Request of the model</h3>
      {value.records.length === 0 && <p className="conv-quiet">No cost was recorded with this event.</p>}
      {value.records.map((record) => (
        <dl key={`${record.responseId} ${record.timestamp}`} className="cv-facts">
          <Fact name="Model" value={visibleText(record.model)} />
          <Fact name="Use" value={visibleText(record.usageId)} />
          <Fact name="Cost" value={amounts.dollars(record.cost)} />
          <Fact name="Latency" value={amounts.duration(record.latency * 1000)} />
          <Fact name="Tokens in" value={amounts.count(record.promptTokens)} />
          <Fact name="from cache" value={amounts.count(record.cacheReadTokens)} />
          <Fact name="Tokens out" value={amounts.count(record.completionTokens)} />
          <Fact name="of reasoning" value={amounts.count(record.reasoningTokens)} />
        </dl>
      ))}
      {value.seen !== undefined && (
        <details className="cv-request">
          <summary>Messages that the model got</summary>
          <ModelView conversation={conversation} event={value.seen} />
        </details>
      )}
    </section>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
