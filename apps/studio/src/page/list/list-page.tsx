import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useShortcut } from '../app/shortcuts.ts';
import { useList, useServer, useStudio } from '../app/studio.ts';
import { explain } from '../data/explain.ts';
import { waitsForPerson } from '../data/row.ts';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/empty.tsx';
import { Notice } from '../design/notice.tsx';
import { Spinner } from '../design/spinner.tsx';
import { ConversationRows, type RowsHandle } from './conversation-rows.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type Filters, isHiddenChild, isUnfiltered, parseFilters, show, toSearch } from './filters.ts';

/** All conversations: search and filters, which the address holds, and the rows. */
export function ListPage(): ReactElement {
  const state = useList();
  const { list } = useStudio();
  const [filters, setFilters] = useFilters();
  const rows = useRef<RowsHandle>(null);
  const search = useRef<HTMLInputElement>(null);
  const shown = useMemo(() => show(state.rows, filters), [state.rows, filters]);
  const waiting = state.rows.filter(waitsForPerson).length;
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Studio` : 'Studio';
  }, [waiting]);
  useShortcut('j', 'Next conversation', () => rows.current?.move(1), true);
  useShortcut('k', 'Previous conversation', () => rows.current?.move(-1), true);
  useShortcut('/', 'Search', () => search.current?.focus());
  useShortcut('r', 'Read the list again', () => void list.refresh());
  useShortcut('Escape', 'Remove the filters', () => setFilters({ ...filters, q: '', status: '', tag: '', model: '' }));
  const count = shown.waiting.length + shown.others.length;
  return (
    <div className="list-page">
      <h1 className="hidden">Conversations</h1>
      <FilterBar rows={state.rows} filters={filters} onChange={setFilters} searchInput={search} />
      {state.error !== undefined && (
        <Notice
          tone="bad"
          actions={
            <Button size="small" onClick={() => void list.refresh()}>
              Try again
            </Button>
          }
        >
          The list could not be read. {explain(state.error)}
        </Notice>
      )}
      {state.unreadable.length > 0 && <Unreadable conversations={state.unreadable} />}
      <p className="list-count small quiet" role="status">
        {state.complete
          ? countWords(count, state.rows.filter((row) => !isHiddenChild(row, filters)).length)
          : `Reading… ${state.rows.length} of ${state.total ?? '?'}`}
      </p>
      {count > 0 ? (
        <ConversationRows ref={rows} shown={shown} />
      ) : state.complete ? (
        <NothingThere unfiltered={isUnfiltered(filters)} onClear={() => setFilters(parseFilters(''))} />
      ) : (
        state.error === undefined && (
          <div className="center">
            <Spinner label="Reading conversations…" />
          </div>
        )
      )}
    </div>
  );
}

function countWords(shown: number, all: number): string {
  const word = all === 1 ? 'conversation' : 'conversations';
  return shown === all
    ? `${all.toLocaleString()} ${word}`
    : `${shown.toLocaleString()} of ${all.toLocaleString()} ${word}`;
}

/** The filters of the address; changing them changes the address, without a step of the browser's history for each letter. */
function useFilters(): readonly [Filters, (filters: Filters) => void] {
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => parseFilters(search), [search]);
  return [filters, (next) => navigate(`/${toSearch(next)}`, { replace: next.q !== filters.q })];
}

function Unreadable({
  conversations,
}: {
  readonly conversations: readonly { id: string; reason: string }[];
}): ReactElement {
  return (
    <details className="list-unreadable">
      <summary>{conversations.length} cannot be read</summary>
      <ul className="bullets">
        {conversations.map(({ id, reason }) => (
          <li key={id}>
            <span className="mono">{id}</span>: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

function NothingThere({
  unfiltered,
  onClear,
}: {
  readonly unfiltered: boolean;
  readonly onClear: () => void;
}): ReactElement {
  const { readOnly } = useServer();
  if (!unfiltered)
    return (
      <Empty title="No conversation fits" actions={<Button onClick={onClear}>Remove the filters</Button>}>
        Search looks at titles, tags, models, folders and ids.
      </Empty>
    );
  return (
    <Empty
      title="No conversations yet"
      actions={
        readOnly === null && (
          <Link href="/new" className="button" data-look="main">
            Start a conversation
          </Link>
        )
      }
    >
      Conversations with agents appear here, whichever program starts them in this place.
    </Empty>
  );
}
