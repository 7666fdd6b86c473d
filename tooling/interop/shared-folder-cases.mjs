import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECRET_KEY } from './fixtures.mjs';

/**
 * Cases of two processes in one folder, each run on every fixture: `run({ id, folder, reference, ours })`. An SDK from 1.45 on trusts a
 * marker beside the events instead of counting them, so an event of ours that leaves the marker in place is hidden from it.
 */
export const SHARED_FOLDER_CASES = [
  {
    name: 'OpenHands keeps the folder open while we add events, and both read the same events in the same order',
    async run(fixture) {
      await inShared(fixture, async ({ theirs, open }) => {
        await theirs.open();
        await theirs.say('theirs, first');
        const ours = await open();
        await ours.say('ours, first');
        await ours.say('ours, second');
        await ours.close();
        await theirs.say('theirs, second');
        const again = await open();
        const both = [await again.ids(), await theirs.close()];
        await again.close();
        return both;
      });
    },
  },
  {
    name: 'we keep the folder open while OpenHands adds events, and both read the same events in the same order',
    async run(fixture) {
      await inShared(fixture, async ({ theirs, open }) => {
        const ours = await open();
        await theirs.open();
        await theirs.say('theirs, first');
        await theirs.say('theirs, second');
        await ours.close();
        const again = await open();
        await again.say('ours, first');
        await theirs.say('theirs, third');
        await again.close();
        const last = await open();
        const both = [await last.ids(), await theirs.close()];
        await last.close();
        return both;
      });
    },
  },
];

/** Works in a copy of the folder. Rejects unless both sides read the same events, each in one file, and more than at the beginning. */
async function inShared({ id, folder, reference, ours }, work) {
  const parent = await mkdtemp(join(tmpdir(), 'conv-interop-'));
  const copy = join(parent, id);
  const place = { workspace: parent, secretKey: SECRET_KEY };
  try {
    await cp(folder, copy, { recursive: true });
    await rm(join(copy, 'owner_lease.json'), { force: true });
    const before = await eventFiles(copy);
    const theirs = reference.hold(copy, place);
    const [our, their] = await work({ theirs, open: () => ours.holdFolder(copy, place) });
    if (our.join() !== their.join())
      throw new Error(`expected = ours, found = theirs\n${our.join('\n')}\n\n${their.join('\n')}`);
    const files = await eventFiles(copy);
    const numbers = new Set(files.map((name) => name.split('-')[1]));
    if (files.length !== our.length || numbers.size !== files.length)
      throw new Error(`${our.length} events are in ${files.length} files with ${numbers.size} numbers`);
    if (files.length < before.length + 4) throw new Error(`only ${files.length - before.length} events were added`);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

async function eventFiles(folder) {
  return (await readdir(join(folder, 'events'))).filter((name) => name.startsWith('event-'));
}
