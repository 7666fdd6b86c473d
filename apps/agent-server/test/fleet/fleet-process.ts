import { keptPort } from '@conv/testing-harness';
import { onTestFinished } from 'vitest';

import { eventually, ServerProcess, type Setting } from '../server-process.ts';

/** Opens the servers of a fleet, unless a setting says otherwise. */
export const FLEET_KEY = 'the-session-key-of-the-fleet';

/** The program as one of many, with what is needed to start it again where it was. */
export interface FleetProcess {
  readonly url: string;
  readonly server: ServerProcess;
  /** Starts it again at the same place; the one before has ended. */
  again(): Promise<FleetProcess>;
}

/** Starts the program as one of the servers on a store. It is killed after the test. */
export async function startInFleet(setting: Setting & { readonly store: string }): Promise<FleetProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await startAt(await keptPort(), setting);
    } catch (error) {
      // another process took the port meanwhile
      if (tries === 5) throw error;
      expectTaken(error);
    }
  }
}

/** Rethrows every error except a port in use. */
function expectTaken(error: unknown): undefined {
  if (!String(error).includes('EADDRINUSE')) throw error;
}

async function startAt(port: number, setting: Setting & { readonly store: string }): Promise<FleetProcess> {
  const url = `http://127.0.0.1:${port}`;
  const args = ['--port', `${port}`, '--server-url', url, '--store', setting.store, ...(setting.args ?? [])];
  const env = {
    CONV_SHUTDOWN_SECONDS: '10',
    CONV_SERVER_PEERS: 'http://127.0.0.1:*',
    OH_SESSION_API_KEYS_0: FLEET_KEY,
    ...setting.env,
  };
  const server = await ServerProcess.start({ cwd: setting.cwd, env, args });
  onTestFinished(async () => {
    server.kill('SIGCONT');
    server.kill('SIGKILL');
    await server.ended();
  });
  // a connection of another process may use the port for a while
  const again = (): Promise<FleetProcess> => eventually(() => startAt(port, setting).catch(expectTaken));
  return { url, server, again };
}
