import { startTheirServerBehindStudio } from './behind-studio.mjs';
import { foldersPair } from './folders-pair.mjs';
import { startModel } from './model.mjs';
import { ourClient } from './our-client.mjs';
import { pluginAnswersPair } from './plugin-answers.mjs';
import { pythonClient } from './python-client.mjs';
import { sameAnswers } from './same-answers.mjs';
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
  'plugins/both-servers': pluginAnswersPair,
  'openhands-server/our-server': sameAnswers,
  folders: foldersPair,
};

/** Pairs without a program of OpenHands for Python: they do not depend on its release. */
export const WITHOUT_PYTHON = new Set(['typescript-client/our-server', 'our-client/our-server']);

async function openPair({ folder, reference, startServer, makeClient }) {
  const model = await startModel();
  const server = await startServer(folder, reference);
  try {
    const client = await makeClient({ server, model, folder, reference });
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
