import { startTheirServerBehindStudio } from './behind-studio.mjs';
import { foldersPair } from './folders-pair.mjs';
import { startModel } from './model.mjs';
import { ourClient } from './our-client.mjs';
import { pythonClient } from './python-client.mjs';
import { startOurServer, startTheirServer } from './servers.mjs';
import { typescriptClient } from './typescript-client.mjs';

/** Opens each pair of `cases.json`: resolves with an object that runs its cases, by name. */
export const PAIRS = {
  'python-client/our-server': (place) => openPair({ ...place, startServer: startOurServer, makeClient: pythonClient }),
  'our-client/openhands-server': (place) =>
    openPair({ ...place, startServer: startTheirServer, makeClient: ourClient(false) }),
  'our-client/studio-openhands-server': (place) =>
    openPair({ ...place, startServer: startTheirServerBehindStudio, makeClient: ourClient(false) }),
  'typescript-client/our-server': (place) =>
    openPair({ ...place, startServer: startOurServer, makeClient: typescriptClient }),
  'our-client/our-server': (place) => openPair({ ...place, startServer: startOurServer, makeClient: ourClient(true) }),
  folders: foldersPair,
};

async function openPair({ folder, python, startServer, makeClient }) {
  const model = await startModel();
  const server = await startServer(folder, python);
  try {
    const client = await makeClient({ server, model, folder, python });
    return {
      run: client.run,
      async close() {
        await client.close();
        await server.close();
        await model.close();
      },
    };
  } catch (error) {
    await server.close();
    await model.close();
    throw error;
  }
}
