import type { RemoteWorkspace } from '@conv/remote';

/** Deletes a conversation of a server. Rejects `ConversationError` as its requests do. */
export async function deleteThere(server: RemoteWorkspace, id: string): Promise<void> {
  const { conversationRoutes } = await import('@conv/openhands/rest');
  const client = server.connect();
  try {
    const { method, path } = conversationRoutes.delete;
    await client.json({ method, path: path.replace('{conversation_id}', encodeURIComponent(id)) });
  } finally {
    await client.close();
  }
}
