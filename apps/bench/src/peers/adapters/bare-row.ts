import { textOf, type PeerRuns, type PeerThread } from '../peer.ts';

export const NO_RUNS = 'a log runs nothing';
export const BARE_STEP = 'two appends: a call and its result';

/** Returns a line with the members that an event of ours has beside the text. */
export function lineOf(text: string): string {
  const id = crypto.randomUUID();
  return `${JSON.stringify({ id, parent_id: id, timestamp: '2026-01-01T00:00:00.000000', source: 'user', text, kind: 'MessageEvent', sender: 'y'.repeat(60), activated_skills: [], extended_content: [] })}\n`;
}

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
