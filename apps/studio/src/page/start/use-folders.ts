import { useEffect, useMemo, useState } from 'react';
import { useList, useStudio } from '../app/studio.ts';
import { serverRequests } from '../data/requests.ts';

/** Folders of other conversations that are offered. */
const MOST = 30;

/** Returns folders to work in: those of the newest conversations, then one below the home of the server. */
export function useFolders(): readonly string[] {
  const { api } = useStudio();
  const { rows } = useList();
  const [home, setHome] = useState<string>();
  useEffect(() => {
    // a server that shows no folders takes any path
    api.call<{ readonly home?: string }>(serverRequests.getHome).then(
      (said) => setHome(said.home),
      () => {},
    );
  }, [api]);
  return useMemo(() => {
    const newest = rows.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
    const used = newest.map(({ workspace }) => workspace).filter((folder) => folder.startsWith('/'));
    return [...new Set([...used, ...(home === undefined ? [] : [`${home.replace(/\/$/, '')}/workspace`])])].slice(
      0,
      MOST,
    );
  }, [rows, home]);
}
