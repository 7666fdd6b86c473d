import { createModelServer, type ModelServer, type ModelServerOptions } from '@conv/testing-model-server';
import { afterAll } from 'vitest';

import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

/** A server in a process of its own, and the model of its agents. */
export interface ScriptedServer {
  readonly cwd: string;
  readonly model: ModelServer;
  readonly server: ServerProcess;
}

/** Starts a server and a model with this script, and these answers to requests for titles. Both stop after the tests of the file. */
export async function startScriptedServer(
  script: ModelServerOptions['script'],
  titles?: ModelServerOptions['titles'],
): Promise<ScriptedServer> {
  const cwd = newFolder();
  const model = await createModelServer({ script, ...(titles === undefined ? {} : { titles }) });
  afterAll(() => model.close());
  const server = await ServerProcess.start({ cwd });
  afterAll(() => server.stop());
  return { cwd, model, server };
}
