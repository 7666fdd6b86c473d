import { textOf, type PeerRuns, type PeerThread } from '../peer.ts';

/** Returns runs of an agent as a log has them: for each call a line, and one for its result. */
export function appendingRuns(thread: PeerThread, calls: number): PeerRuns {
  return {
    run: async () => {
      for (let call = 0; call < calls; call++)
        for (const name of ['call', 'result']) await thread.append(textOf(`${name}-${call}`));
    },
    close: () => thread.close(),
  };
}
