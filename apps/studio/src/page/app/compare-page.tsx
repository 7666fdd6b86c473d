import type { ReactElement } from 'react';
import { useLocation, useSearch } from 'wouter';
import { CompareView } from '../compare/compare-view.tsx';
import { useOpenOthers } from './use-open-others.ts';

/** The view of two points side by side, which the address names. */
export function ComparePage(): ReactElement {
  const [, navigate] = useLocation();
  const points = new URLSearchParams(useSearch());
  const open = useOpenOthers();
  return <CompareView a={points.get('a') ?? ''} b={points.get('b') ?? ''} open={open} go={navigate} />;
}
