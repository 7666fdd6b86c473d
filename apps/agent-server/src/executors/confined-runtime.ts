import { executeIn } from '@conv/remote';
import type { ExecutorRuntime } from '@conv/server';

import { ConfinedWorkspace } from './confined-workspace.ts';
import type { ExecutorPlace } from './executor-process.ts';

/** Returns the runtime in which each conversation has a process of its own on this machine, in a sandbox. */
export function confinedRuntime(place: ExecutorPlace): ExecutorRuntime {
  return {
    open: (conversation) => {
      const workspace = new ConfinedWorkspace(place, conversation);
      const hands = executeIn(workspace);
      const close = async (): Promise<void> => {
        await hands.close();
        await workspace.close();
      };
      return { executor: hands.executor, close };
    },
  };
}
