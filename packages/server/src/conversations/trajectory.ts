import type { Readable } from 'node:stream';

import type { Platform } from '@conv/core/platform';
import { eventFileName, toBaseState, toMeta } from '@conv/openhands/folder';
import type { JsonObject } from '@conv/core';
import { ZipFile } from 'yazl';

import type { Reading } from '../hosting/stored-conversation.ts';
import { withoutSecrets } from '../http/secret-texts.ts';

const EVENTS_PER_LOOK = 200;

/**
 * Returns a conversation as a folder of OpenHands in a zip archive: its state, its description and a file for each event, without
 * secrets. The reading has to stay open until the stream has ended.
 */
export function trajectoryOf(reading: Reading, platform: Pick<Platform, 'now'>): Readable {
  const { fields } = reading;
  const archive = new ZipFile();
  const now = new Date(platform.now());
  const add = (name: string, value: JsonObject): void =>
    archive.addBuffer(Buffer.from(JSON.stringify(value, undefined, 2)), name, { mtime: now });
  add('base_state.json', withoutSecrets(toBaseState(fields)));
  add('meta.json', withoutSecrets(toMeta(fields, now.toISOString())));
  const out = archive.outputStream as Readable;
  addEvents(archive, reading, now).then(
    () => archive.end(),
    (error: unknown) => out.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return out;
}

async function addEvents(archive: ZipFile, { state: { events } }: Reading, mtime: Date): Promise<void> {
  for (let from = 0; from < events.length; from += EVENTS_PER_LOOK) {
    const part = await events.slice(from, from + EVENTS_PER_LOOK);
    for (const [offset, event] of part.entries())
      archive.addBuffer(Buffer.from(JSON.stringify(event)), `events/${eventFileName(from + offset, event.id)}`, {
        mtime,
      });
  }
}
