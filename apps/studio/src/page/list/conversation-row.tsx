import { memo, type ReactElement, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { useStudio } from '../app/studio.ts';
import { nameOf, type Row, shownTags } from '../data/row.ts';
import { Badge } from '../design/badge.tsx';
import { Cost } from '../design/cost.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';

const FAILED: ReadonlySet<string> = new Set(['error', 'stuck']);
/** At most so many tags are shown. */
const TAGS = 3;

/** A conversation of the list: a link with all that tells it from others. */
export const ConversationRow: React.NamedExoticComponent<{ readonly row: Row }> = memo(function ConversationRow({
  row,
}: {
  readonly row: Row;
}): ReactElement {
  const { list } = useStudio();
  return (
    <Link
      href={`/c/${row.id}`}
      className="conversation-row"
      data-status={row.status}
      onClick={() => {
        list.lastOpened = row.id;
      }}
    >
      <span className="row-status">
        <StatusBadge status={row.status} />
      </span>
      <span className="row-title cut" data-untitled={row.title === null || undefined} dir="auto">
        {nameOf(row)}
      </span>
      <span className="row-about row">{FAILED.has(row.status) ? <LastError row={row} /> : <Tags row={row} />}</span>
      <span className="row-model cut quiet">{row.model}</span>
      <span className="row-cost quiet">
        <Cost of={row.cost} />
      </span>
      <span className="row-age quiet">
        <Time at={row.updatedAt} />
      </span>
    </Link>
  );
});

function Tags({ row: { tags, title, workspace, parentId, damaged } }: { readonly row: Row }): ReactElement {
  const entries = shownTags(tags, title);
  return (
    <>
      {damaged && <Badge tone="bad">Damaged</Badge>}
      {parentId !== null && <Badge tone="accent">Sub-agent</Badge>}
      {entries.slice(0, TAGS).map(([name, value]) => (
        <Badge key={name}>{value === '' ? name : `${name}: ${value}`}</Badge>
      ))}
      {entries.length > TAGS && <span className="quiet small">+{entries.length - TAGS}</span>}
      {entries.length === 0 && <span className="quiet small cut mono">{workspace}</span>}
    </>
  );
}

function LastError({ row }: { readonly row: Row }): ReactElement {
  const { lastErrors } = useStudio();
  const text = useSyncExternalStore(lastErrors.subscribe, () => lastErrors.of(row));
  return (
    <span className="row-error small cut" dir="auto" title={text}>
      {text}
    </span>
  );
}
