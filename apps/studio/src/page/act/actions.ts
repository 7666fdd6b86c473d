import { createContext, useContext, useMemo, useState } from 'react';
import type { RemoteConversation } from '@conv/remote';
import { explain, statusIn } from '../data/explain.ts';

/** Executes the commands of one conversation, one at a time, and holds the last failure. */
export interface Actions {
  /** The name of the running command. */
  readonly busy: string | undefined;
  /** The failure of the last command. */
  readonly failure: string | undefined;
  /** Runs a command. Resolves with true if it succeeded. */
  readonly run: (name: string, command: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
}

/** Returns the commands' state. Calls `onRefused` with the reason when another process owns the conversation. */
export function useActions(onRefused: (reason: string) => void): Actions {
  const [busy, setBusy] = useState<string>();
  const [failure, setFailure] = useState<string>();
  return useMemo(
    () => ({
      busy,
      failure,
      clear: () => setFailure(undefined),
      run: async (name, command) => {
        setBusy(name);
        setFailure(undefined);
        try {
          await command();
          return true;
        } catch (error) {
          setFailure(explain(error));
          if (isOwned(error)) onRefused(explain(error));
          return false;
        } finally {
          setBusy(undefined);
        }
      },
    }),
    [busy, failure, onRefused],
  );
}

function isOwned(error: unknown): boolean {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'OWNED' || (statusIn(error) === 409 && /another process|owned|in use/i.test(explain(error)));
}

/** The conversation of a view, and the actions on it. */
export interface Acting {
  readonly conversation: RemoteConversation;
  readonly actions: Actions;
  /** The reason why nothing can be changed; `null` if it can. */
  readonly readOnly: string | null;
  /** Changes with the state of the conversation, so that what shows it renders again. */
  readonly version: number;
}

export const ActingContext = createContext<Acting | undefined>(undefined);

/** Returns the conversation of the view, and the actions on it. */
export function useActing(): Acting {
  const acting = useContext(ActingContext);
  if (!acting) throw new Error('expected an ActingContext around this component, found none; render it in the frame');
  return acting;
}
