import type { pastViews } from '@conv/core';
import { FoldedText } from '@conv/visualize/react';
import { plainText, visibleText } from '@conv/visualize/text';
import { memo, type ReactElement, useState } from 'react';
import { useLoaded } from '../conversation/use-loaded.ts';
import { amounts } from '../design/amounts.ts';
import { type PastSource, readView } from './past-reads.ts';
import { ShownEvent } from './shown-event.tsx';

/** Messages of a page. */
const PAGE = 25;

/** Properties of {@link ModelView}. */
export interface ModelViewProps {
  readonly conversation: PastSource;
  /** The number of the event after which the model would get these messages. */
  readonly event: number;
}

/** Shows the messages that the model would get after an event: roles, tokens, what is cached, what condensations hide. */
export function ModelView({ conversation, event }: ModelViewProps): ReactElement {
  const [pages, setPages] = useState(1);
  const { value, failure, loading } = useLoaded(`${event} ${pages}`, async () => {
    const view = await readView(conversation, event, { limit: Math.min(1000, pages * PAGE) });
    return view && { event, view };
  });
  if (failure) return <p role="alert">The view cannot be read: {failure}</p>;
  if (!value)
    return (
      <p className="conv-quiet">
        {loading ? 'Reading the view …' : 'This server cannot show what the model sees at a point.'}
      </p>
    );
  const { view } = value;
  return (
    <div className="tm-view" aria-busy={loading}>
      <ShownEvent shown={value.event} wanted={event} />
      <Summary view={view} />
      <HiddenSpans spans={view.hidden} />
      {view.first > 0 && (
        <button type="button" className="button" data-size="small" onClick={() => setPages(pages + 1)}>
          Show {amounts.count(Math.min(PAGE, view.first))} earlier of {amounts.count(view.first)}
        </button>
      )}
      <ol start={view.first + 1}>
        {view.messages.map((message, place) => (
          <Message key={view.first + place} view={message} />
        ))}
      </ol>
    </div>
  );
}

function Summary({ view }: { readonly view: pastViews.ModelView }): ReactElement {
  const cached = view.messages.filter((message) => message.cached);
  const tokens = cached.reduce((sum, message) => sum + message.tokens, 0);
  return (
    <p className="numbers">
      {amounts.of(view.count, 'message')}, about {amounts.short(view.tokens)} tokens
      {cached.length > 0 && <span className="quiet"> · {amounts.short(tokens)} of the shown ones cached</span>}
      {view.condensationRequested && (
        <span className="badge" data-tone="careful">
          condensation requested
        </span>
      )}
    </p>
  );
}

/** Spans that are shown at once: a long log has hundreds of them, and the newest say most about what the model lacks. */
const NEWEST = 3;

function HiddenSpans({ spans }: { readonly spans: readonly pastViews.HiddenEvents[] }): ReactElement {
  const [whole, setWhole] = useState(false);
  const older = whole ? 0 : Math.max(0, spans.length - NEWEST);
  return (
    <>
      {older > 0 && (
        <button type="button" className="button" data-size="small" onClick={() => setWhole(true)}>
          Show {amounts.of(older, 'earlier condensation')}
        </button>
      )}
      {spans.slice(older).map((span) => (
        <Hidden key={span.from} span={span} />
      ))}
    </>
  );
}

function Hidden({ span }: { readonly span: pastViews.HiddenEvents }): ReactElement {
  return (
    <p className="tm-hidden">
      Events {amounts.count(span.from)}–{amounts.count(span.to - 1)}: {amounts.count(span.count)} hidden by the
      condensation at event {amounts.count(span.by)}
    </p>
  );
}

/** A message is drawn again only when the view was read again. */
const Message = memo(function Message({ view }: { readonly view: pastViews.ViewMessage }): ReactElement {
  const { message, tokens, cached, cachePoint, events } = view;
  const text = textOf(view);
  return (
    <li className="tm-message" data-role={message.role}>
      <header>
        <strong>{message.role}</strong>
        {message.name !== undefined && <code>{visibleText(message.name)}</code>}
        <span className="quiet numbers">about {amounts.count(tokens)} tokens</span>
        {events.length > 0 && <span className="quiet numbers">{spanOf(events)}</span>}
        {cached && (
          <span className="badge" data-tone="good">
            cached
          </span>
        )}
        {cachePoint && (
          <span className="badge" data-tone="info">
            cache point
          </span>
        )}
      </header>
      {text !== '' && (
        <FoldedText text={text}>{(part) => <pre className="conv-output">{plainText(part)}</pre>}</FoldedText>
      )}
      {message.tool_calls?.map(({ id, name, arguments: given }) => (
        <FoldedText key={id} text={given}>
          {(part) => (
            <pre className="conv-output">
              {visibleText(name)} {visibleText(part)}
            </pre>
          )}
        </FoldedText>
      ))}
    </li>
  );
});

function textOf({ message }: pastViews.ViewMessage): string {
  const parts = message.content.map((part) =>
    'text' in part ? part.text : part.image_urls.map(() => '[image]').join(' '),
  );
  return parts.join('\n');
}

function spanOf(events: readonly number[]): string {
  const [first, last] = [events[0] ?? 0, events.at(-1) ?? 0];
  return first === last ? `event ${amounts.count(first)}` : `events ${amounts.count(first)}–${amounts.count(last)}`;
}
