import { startModel } from './model.mjs';
import { pythonClient } from './python-client.mjs';
import { startOurServer } from './servers.mjs';

/** How each pair of `cases.json` is opened: resolves with what runs its cases, by name. */
export const PAIRS = {
  'python-client/our-server': (place) => openPair({ ...place, startServer: startOurServer, makeClient: pythonClient }),
};

async function openPair({ folder, python, startServer, makeClient }) {
  const model = await startModel();
  const server = await startServer(folder, python);
  try {
    const client = await makeClient({ server, model, folder, python });
    return {
      run: (name) => client.run(name),
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
