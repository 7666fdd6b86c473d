import { type ConversationView, isConversationError } from '@conv/core';
import type { Event } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { TerminalVisualizer } from '@conv/visualize';

import type { PlaceOptions } from '../conversation/place.ts';
import { fieldsOf, type ReadableConversation } from '../conversation/readable-conversation.ts';
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
  for await (const { events, state } of stepsOf(read)) {
    for (const event of events) {
      now = timeOf(event) ?? now;
      await shown.onEvent(event);
    }
    if (state !== undefined) await shown.onStateChange(fieldsOf(state));
  }
  shown.close();
  return reportDamage(read);
}

/** A part of a conversation: events, and the state after them where it is known. */
interface Step {
  readonly events: readonly Event[];
  readonly state: ConversationView | undefined;
}

/** Yields a conversation commit by commit. OpenHands' own server has no commits: there each event comes alone, and the state last. */
async function* stepsOf({ events, past, state }: ReadableConversation): AsyncGenerator<Step> {
  try {
    for await (const { commit, state: then } of past.replay()) yield { events: commit?.events ?? [], state: then };
  } catch (error) {
    if (!isConversationError(error, 'UNSUPPORTED')) throw error;
    for await (const event of events) yield { events: [event], state: undefined };
    yield { events: [], state };
  }
}

function timeOf({ timestamp }: Event): number | undefined {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
