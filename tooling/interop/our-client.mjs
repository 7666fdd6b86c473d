import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createConversationFactory } from '@conv/core';
import { remote, RemoteWorkspace } from '@conv/remote';
import { MODEL_KEY } from './model.mjs';
import { FEATURE_CASES } from './our-client-feature-cases.mjs';
import { RUN_CASES } from './our-client-run-cases.mjs';
import { KEY } from './servers.mjs';

const CASES = { ...RUN_CASES, ...FEATURE_CASES };
const open = createConversationFactory({ runtimes: [remote()] });

/** Makes our client in this process, for a server that has all our additions (`complete`), or for a server that has none. */
export function ourClient(complete) {
  return async ({ server, model }) => ({
    async run(name) {
      if (CASES[name] === undefined) throw new Error('there is no such case');
      const place = await makePlace({ server, model, complete, folder: join(server.workFolder, name) });
      try {
        await CASES[name](place);
      } finally {
        await place.close();
      }
    },
    async close() {},
  });
}

/** The server, and a folder there that belongs to one case. */
async function makePlace({ server, model, complete, folder }) {
  await mkdir(folder, { recursive: true });
  const made = [];
  const workspaceWith = (apiKey, host = server.url) => {
    const workspace = new RemoteWorkspace({ host, apiKey, workingDir: folder });
    made.push(workspace);
    return workspace;
  };
  const workspace = workspaceWith(KEY);
  const llm = (usage_id) => ({
    model: 'openai/scripted',
    base_url: model.url,
    api_key: MODEL_KEY,
    usage_id,
    num_retries: 0,
  });
  const agent = (more) => ({
    kind: 'Agent',
    llm: llm('agent'),
    tools: ['terminal', 'file_editor'].map((name) => ({ name, params: {} })),
    ...more,
  });
  return {
    server,
    folder,
    complete,
    workspace,
    workspaceWith,
    llm,
    agent,
    /** Opens one with everything as usual, closed with the case. */
    async conversation(options = {}) {
      const conversation = await open({ agent: agent(), workspace, ...options });
      made.push(conversation);
      return conversation;
    },
    /** Calls REST past the client; resolves with status and body. */
    async rest(path, { method = 'GET', key = KEY } = {}) {
      const response = await fetch(`${server.url}${path}`, { method, headers: { 'x-session-api-key': key } });
      return { status: response.status, body: await response.json().catch(() => undefined) };
    },
    async close() {
      await Promise.all(made.map((each) => each.close()));
    },
  };
}
