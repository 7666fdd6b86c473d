import { ContainerWorkspace, type ContainerLimits, type ContainerWorkspaceOptions } from '@conv/container';
import { executeIn } from '@conv/remote';
import type { ExecutedConversation, ExecutorRuntime } from '@conv/server';

/** Options of the operator for the containers of all conversations. */
export interface ContainerPlace extends Pick<ContainerWorkspaceOptions, 'image' | 'runtime' | 'engine'> {
  /** The file with the secret from which the keys of executors are derived. */
  readonly keyFile: string;
  /** Limits of each container, which are the most that a client may ask for. */
  readonly limits: ContainerLimits;
}

/** The limits that containers have by default, as far as a client may ask for less. */
const MOST = { memory: 2 * 2 ** 30, processors: 2 };

/**
 * Returns the runtime in which each conversation has a container of its own, with its folder under the same path. The container is stopped
 * with its conversation, found again by the conversation's id, and removed when the conversation is deleted.
 */
export function containerRuntime(place: ContainerPlace): ExecutorRuntime {
  const { limits, ...options } = place;
  const named = (id: string, more: Partial<ContainerWorkspaceOptions> = {}): ContainerWorkspace =>
    new ContainerWorkspace({ ...options, ...more, name: `conv-${id}`, keep: 'stopped', executor: true });
  return {
    most: { memory: limits.memory ?? MOST.memory, processors: limits.processors ?? MOST.processors },
    // the repository of a worktree is not in the container
    worktrees: false,
    open: ({ id, workingDirectory, limits: wanted }: ExecutedConversation) => {
      const folder = { folder: workingDirectory, target: workingDirectory };
      const container = named(id, { ...folder, limits: { ...limits, ...wanted } });
      const hands = executeIn(container);
      return {
        executor: hands.executor,
        close: async ({ isTakenOver }) => {
          await hands.close();
          // stopped in order, it would be stopped under the next owner
          if (isTakenOver) await container.close({ keep: 'running' });
          // also where no tool was called here: a server that was killed has left it running
          else await container.stop();
        },
      };
    },
    remove: (id) => named(id).remove(),
  };
}
