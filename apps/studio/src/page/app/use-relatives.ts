import { useMemo } from 'react';
import { nameOf, type Row } from '../data/row.ts';
import type { Relative } from '../understand/relatives.ts';
import { useList } from './studio.ts';

/** Returns the forks and the sub-agents of a conversation, as far as the list has them. */
export function useRelatives(id: string): readonly Relative[] {
  const { rows } = useList();
  return useMemo(() => rows.flatMap((row) => relativeOf(row, id)), [rows, id]);
}

function relativeOf(row: Row, id: string): readonly Relative[] {
  if (row.parentId === id) return [{ id: row.id, name: nameOf(row), kind: 'subagent', from: null }];
  if (row.forkedFrom?.id !== id) return [];
  return [{ id: row.id, name: nameOf(row), kind: 'fork', from: row.forkedFrom.event }];
}
