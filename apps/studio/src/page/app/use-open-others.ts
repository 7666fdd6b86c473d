import type { RemoteConversation } from '@conv/remote';
import { useCallback, useEffect, useState } from 'react';
import { openConversation } from '../data/open-conversation.ts';
import { useStudio } from './studio.ts';

/** Returns a function that opens other conversations, such as those of sub-agents; they are closed with the view. */
export function useOpenOthers(): (id: string) => Promise<RemoteConversation> {
  const studio = useStudio();
  const [opened] = useState(() => new Map<string, Promise<RemoteConversation>>());
  useEffect(
    () => () => {
      for (const each of opened.values()) void each.then((conversation) => conversation.close()).catch(() => {});
      opened.clear();
    },
    [opened],
  );
  return useCallback(
    (id) => {
      const found = opened.get(id) ?? openConversation(studio, id);
      opened.set(id, found);
      // a failure is not kept, so that a later try opens it
      found.catch(() => opened.delete(id));
      return found;
    },
    [studio, opened],
  );
}
