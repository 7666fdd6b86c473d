import type { Conversation } from '@conv/core';
import { visibleText } from '@conv/visualize/text';
import { type ReactElement, useState } from 'react';
import { useLoaded } from '../conversation/use-loaded.ts';
import { readPage } from '../window/read-page.ts';
import { joinFiles, type TouchedFile, touchedFiles } from './touched-files.ts';

/** Events that are read at first, and with each request for more. */
const SPAN = 1_000;

/** Shows the files that were viewed and changed up to an event, from the newest events back. */
export function FilesPanel({
  conversation,
  event,
  onPoint,
}: {
  readonly conversation: Conversation;
  readonly event: number;
  readonly onPoint: (event: number) => void;
}): ReactElement {
  const [spans, setSpans] = useState(1);
  const from = Math.max(0, event + 1 - spans * SPAN);
  const { value, failure, loading } = useLoaded(`${from} ${event}`, async () => ({
    from,
    event,
    files: await filesBetween(conversation, from, event + 1),
  }));
  return (
    <div aria-busy={loading}>
      {failure && <p role="alert">The events cannot be read: {failure}</p>}
      {!value && loading && <p className="conv-quiet">Reading events …</p>}
      {value && (
        <p className="conv-quiet numbers">
          {value.files.length === 0 ? 'The file editor touched no file in' : 'Files of'} events {value.from} to{' '}
          {value.event}
          {loading && ` · reading ${from} to ${event} …`}
        </p>
      )}
      <ul className="tm-files">
        {value?.files.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              className="button"
              data-look="plain"
              data-size="small"
              onClick={() => onPoint(file.last)}
            >
              <code>{visibleText(file.path)}</code>
            </button>
            <span className="quiet numbers">{wordsOf(file)}</span>
          </li>
        ))}
      </ul>
      {from > 0 && (
        <p>
          <button type="button" className="button" data-size="small" onClick={() => setSpans(spans * 4)}>
            Look further back
          </button>
        </p>
      )}
      <p className="conv-quiet">Changes by commands in the terminal are not listed.</p>
    </div>
  );
}

/** Reads part by part, so that no more than a part is held. */
async function filesBetween(conversation: Conversation, from: number, to: number): Promise<readonly TouchedFile[]> {
  let files: readonly TouchedFile[] = [];
  for (let at = from; at < to; at += SPAN) {
    const page = await readPage(conversation.events, at, Math.min(to, at + SPAN));
    files = joinFiles(files, touchedFiles(page));
  }
  return files;
}

function wordsOf({ changes, views }: TouchedFile): string {
  const parts = [changes > 0 ? `changed ${times(changes)}` : '', views > 0 ? `viewed ${times(views)}` : ''];
  return parts.filter(Boolean).join(', ');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
