import type { Event } from '@conv/core/events';
import { TerminalVisualizer } from '@conv/visualize';

import { readConversation } from '../conversation/stored-conversation.ts';
import type { ExitCode } from '../exit-code.ts';
import { reportDamage } from './show.ts';

/** Options of `replay`. */
export interface ReplayOptions {
  readonly dir: string;
  readonly json?: boolean;
}

/** Shows a conversation again, as it looked while it ran. Runs no model and no tool, and does not wait. */
export async function replayCommand(id: string, options: ReplayOptions): Promise<ExitCode> {
  await using stored = await readConversation(options.dir, id);
  let now = 0;
  const shown = new TerminalVisualizer({
    statusLine: false,
    mode: options.json ? 'json' : 'normal',
    clock: () => now,
  });
  for await (const { commit, state } of stored.state.replay()) {
    for (const event of commit?.events ?? []) {
      now = timeOf(event) ?? now;
      await shown.onEvent(event);
    }
    await shown.onStateChange(state.fields);
  }
  shown.close();
  return reportDamage(stored);
}

function timeOf({ timestamp }: Event): number | undefined {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
