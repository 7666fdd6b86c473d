import type { Event } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { TerminalVisualizer } from '@conv/visualize';

import type { PlaceOptions } from '../conversation/place.ts';
import { fieldsOf } from '../conversation/readable-conversation.ts';
import type { ExitCode } from '../exit-code.ts';
import { readFrom } from '../server/read-there.ts';
import { reportDamage } from './show.ts';

/** Options of `replay`. */
export interface ReplayOptions extends PlaceOptions {
  readonly json?: boolean;
}

/** Shows a conversation again, as it looked while it ran. Runs no model and no tool, and does not wait. */
export async function replayCommand(id: string, options: ReplayOptions): Promise<ExitCode> {
  await using read = await readFrom(options, id);
  let now = 0;
  const shown = new TerminalVisualizer({
    statusLine: false,
    mode: options.json ? 'json' : 'normal',
    platform: { ...systemPlatform, monotonic: () => now },
  });
  for await (const { commit, state } of read.past.replay()) {
    for (const event of commit?.events ?? []) {
      now = timeOf(event) ?? now;
      await shown.onEvent(event);
    }
    await shown.onStateChange(fieldsOf(state));
  }
  shown.close();
  return reportDamage(read);
}

function timeOf({ timestamp }: Event): number | undefined {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
