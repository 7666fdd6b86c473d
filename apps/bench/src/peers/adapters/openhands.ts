import type { Peer, PeerStore } from '../peer.ts';
import { nameOf, textOf } from '../peer.ts';
import { PythonProcess } from './python-process.ts';

let current: Promise<PythonProcess> | undefined;

/** The SDK of OpenHands, whose conversations are folders. It works in a process of its own, behind a socket. */
export const openhands: Peer = {
  key: 'openhands-files',
  title: 'OpenHands SDK (Python), files',
  kind: 'files',
  synced: 'fsync of a new file for each event, which is then renamed into place; the folder is not flushed',
  needs: 'python',
  packages: ['openhands-sdk'],
  remarks: {
    append: 'through a socket to Python, as all its works',
    step: 'a call, its result, and the messages of the next request',
    resume: 'run() again, which goes on from before the call',
  },
  lacks: { list: 'no call in the SDK; its agent server has one' },
  load: async () => {
    // one process, however often it is loaded before it is closed
    const loaded = (current ??= PythonProcess.start());
    const python = await loaded;
    return async ({ directory }) => {
      await python.ask({ do: 'folder', folder: directory });
      return openStore(python);
    };
  },
};

function openStore(python: PythonProcess): PeerStore {
  const texts = async (request: object): Promise<readonly string[]> =>
    ((await python.ask(request)) as readonly string[]).map(textOf);
  const tell = async (request: object): Promise<void> => void (await python.ask(request));
  return {
    fill: (id, all) => tell({ do: 'fill', id, names: all.map(nameOf) }),
    open: async (id) => {
      await tell({ do: 'open', id });
      return {
        append: (text) => tell({ do: 'append', id, name: nameOf(text) }),
        last: (count) => texts({ do: 'last', id, count }),
        all: () => texts({ do: 'all', id }),
        close: async () => {},
      };
    },
    fork: (from, to) => tell({ do: 'fork', id: from, to }),
    steps: async (id, calls) => {
      await tell({ do: 'open', id });
      return { run: () => tell({ do: 'run', id, calls }), close: async () => {} };
    },
    effects: {
      start: (id, effect) => python.during(effect, () => tell({ do: 'effects', id })),
      resume: (id, effect) => python.during(effect, () => tell({ do: 'resume', id })),
    },
    resident: async () => Number(await python.ask({ do: 'resident' })) - python.residentAtStart,
    close: async () => {
      await tell({ do: 'close' });
      python.end();
      current = undefined;
    },
  };
}
