import { once } from 'node:events';

import { WebSocket } from 'ws';

import type { AskingClient } from './asking-client.ts';

/** Opens a client of the Agent Client Protocol, as bare messages of a socket. */
export async function openEditor(port: number, sessionId: string): Promise<AskingClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/editor`, { perMessageDeflate: false });
  await once(socket, 'open');
  const answers = new Map<number, () => void>();
  let onPiece = (): void => {};
  let nth = 0;
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (text.includes('"agent_message_chunk"')) onPiece();
    const { id, error } = JSON.parse(text) as { readonly id?: number; readonly error?: unknown };
    if (error !== undefined) throw new Error(`the editor was answered with ${text}`);
    if (id !== undefined) answers.get(id)?.();
  });
  const request = (method: string, params: object): Promise<void> => {
    const id = ++nth;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve) => void answers.set(id, resolve));
  };
  await request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await request('session/resume', { sessionId, cwd: '/', mcpServers: [] });
  return {
    ask: async (told) => {
      onPiece = () => {
        onPiece = () => {};
        told();
      };
      await request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go on' }] });
    },
    close: () => socket.terminate(),
  };
}
