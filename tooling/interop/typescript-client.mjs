import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MODEL_KEY } from './model.mjs';
import { KEY } from './servers.mjs';

/** OpenHands' TypeScript client in this process. */
export async function typescriptClient({ server, model }) {
  const client = await loadClient();
  const { CASES } = await import('./typescript-client-cases.mjs');
  return {
    async run(name) {
      if (CASES[name] === undefined) throw new Error('there is no such case');
      const place = await makePlace(client, { server, model, folder: join(server.workFolder, name) });
      try {
        await CASES[name](place);
      } finally {
        await place.close();
      }
    },
    async close() {},
  };
}

/** As a module it finds sockets in browsers alone, and looks for them when it is loaded: so that is what it is shown then. */
async function loadClient() {
  globalThis.window = { WebSocket };
  try {
    return await import('@openhands/typescript-client');
  } finally {
    delete globalThis.window;
  }
}

/** The server, and a folder there that belongs to one case. */
async function makePlace(client, { server, model, folder }) {
  await mkdir(folder, { recursive: true });
  const made = [];
  const workspaceWith = (apiKey) => new client.RemoteWorkspace({ host: server.url, workingDir: folder, apiKey });
  const llm = (usage_id, name = 'openai/scripted') => ({
    model: name,
    base_url: model.url,
    api_key: MODEL_KEY,
    usage_id,
    num_retries: 0,
  });
  const tools = ['terminal', 'file_editor'].map((name) => ({ name, params: {} }));
  const agentWith = (more) => new client.Agent({ llm: llm('agent'), tools, ...more });
  const usual = workspaceWith(KEY);
  return {
    client,
    server,
    folder,
    llm,
    workspace: usual,
    workspaceWith,
    manager: new client.ConversationManager({ host: server.url, apiKey: KEY }),
    agent: agentWith,
    /** A conversation that was started, with what its socket told in `told`; closed with the case. */
    async conversation({ agent = agentWith(), workspace = usual, start = {}, ...options } = {}) {
      const told = [];
      const conversation = new client.RemoteConversation(agent, workspace, {
        callback: (event) => void told.push(event),
        ...options,
      });
      made.push(conversation);
      await conversation.start(start);
      await conversation.startWebSocketClient();
      return Object.assign(conversation, { told });
    },
    keep: (conversation) => void made.push(conversation),
    async close() {
      await Promise.all(made.map((each) => each.close()));
    },
  };
}
