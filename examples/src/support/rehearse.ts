import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Model, openaiCompatible } from '@conv/agent';
import { createModelServer, type ModelServer, type Script } from '@conv/testing-model-server';

/** A stage for an example, in place of a real model and your own folder. */
export interface Rehearsal extends AsyncDisposable {
  /**
   * Answers as the script says. With a real one, such as `anthropic('claude-opus-4-1', { apiKey })`, nothing else
   * changes.
   */
  readonly model: Model;
  /** Another model of the same server. */
  readonly modelNamed: (name: string) => Model;
  readonly server: ModelServer;
  /** The folder that the agent works in. */
  readonly workspace: string;
  /** The folder that holds its conversations. */
  readonly conversations: string;
}

/**
 * Starts a scripted model behind a real server, and makes folders that are removed at the end. Disposing rejects if a
 * request broke a rule of the provider.
 */
export async function rehearse(script: Script): Promise<Rehearsal> {
  const server = await createModelServer({ script });
  const folder = await mkdtemp(join(tmpdir(), 'conv-example-'));
  const workspace = join(folder, 'project');
  await mkdir(workspace);
  const modelNamed = (name: string): Model => openaiCompatible(name, { baseUrl: server.url, retry: { attempts: 1 } });
  return {
    model: modelNamed('scripted-model'),
    modelNamed,
    server,
    workspace,
    conversations: join(folder, 'conversations'),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
      assert.deepEqual(server.violations, [], 'every request keeps to the rules of the provider');
    },
  };
}
