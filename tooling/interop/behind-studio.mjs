import { startStudio } from '@conv/studio';

import { KEY, startTheirServer } from './servers.mjs';

/** OpenHands' agent server, reached through studio, which has the server's key and passes everything on. */
export async function startTheirServerBehindStudio(folder, reference) {
  const server = await startTheirServer(folder, reference);
  const environment = { OH_SESSION_API_KEY: KEY };
  const studio = await startStudio({ place: server.url, port: 0, environment, sessionKey: KEY, report: () => {} });
  return {
    ...server,
    url: new URL(studio.url).origin,
    async close() {
      await studio.close();
      await server.close();
    },
  };
}
