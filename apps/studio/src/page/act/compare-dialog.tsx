import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { useList } from '../app/studio.ts';
import { nameOf } from '../data/row.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field } from '../design/field.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { parseFilters, show } from '../list/filters.ts';
import type { ActDialogProps } from './act-dialog-props.ts';
import { useActing } from './actions.ts';

/** Conversations that are offered; a search finds the others. */
const MOST = 8;

/** Chooses another conversation, and goes to the view of both side by side. */
export function CompareDialog({ onClose }: ActDialogProps): ReactElement {
  const { id } = useActing().conversation;
  const { rows } = useList();
  const [q, setSearch] = useState('');
  const { waiting, others } = show(rows, { ...parseFilters(''), q });
  const found = [...waiting, ...others].filter((row) => row.id !== id);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Compare with another conversation"
      about="Both are shown side by side, from the last event that they have in common."
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <Field label="Search">
        {(input) => <input {...input} type="search" value={q} onChange={(event) => setSearch(event.target.value)} />}
      </Field>
      <ul className="compare-choice" aria-label="Conversations">
        {found.slice(0, MOST).map((row) => (
          <li key={row.id}>
            <Link href={`/compare?a=${id}&b=${row.id}`} className="cut" dir="auto" onClick={onClose}>
              {nameOf(row)}
            </Link>
            <StatusBadge status={row.status} />
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="quiet">No other conversation matches.</p>}
      {found.length > MOST && <p className="quiet small">{found.length - MOST} more; search for words of a title.</p>}
    </Dialog>
  );
}
