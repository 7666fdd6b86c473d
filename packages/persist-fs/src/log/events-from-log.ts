import type { Event } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import type { MirrorEvent } from '../mirror/openhands-mirror.ts';
import type { FsReader } from './reader.ts';
import { standInFiles } from './stand-in.ts';

/** Yields the events of a log as they go into their files, with stand-ins in place of lost events (decision 54). */
export async function* eventsFromLog(
  reader: FsReader,
  from: number,
  to: number,
): AsyncGenerator<MirrorEvent, void, undefined> {
  let expected = from;
  for await (const { firstEvent, events } of reader.commits({
    fromEvent: toEventIndex(from),
    toEvent: toEventIndex(to),
  })) {
    for (const [ordinal, event] of events.entries()) {
      const index = firstEvent + ordinal;
      if (index < from || index >= to) continue;
      if (index > expected) yield* lostFromLog(reader, expected, index);
      yield mirrorEvent(index, event);
      expected = index + 1;
    }
  }
  if (expected < to) yield* lostFromLog(reader, expected, to);
}

/** The stand-ins of a reader, made once because they need the whole log. */
const made = new WeakMap<FsReader, ReadonlyMap<number, Event>>();

async function* lostFromLog(reader: FsReader, from: number, to: number): AsyncGenerator<MirrorEvent, void, undefined> {
  let known = made.get(reader);
  if (!known?.has(from)) made.set(reader, (known = await standInFiles(reader)));
  for (let index = from; index < to; index++) {
    const event = known.get(index);
    if (event) yield mirrorEvent(index, event);
  }
}

function mirrorEvent(index: number, event: Event): MirrorEvent {
  return { index, id: event.id, kind: event.kind, text: JSON.stringify(event) };
}
