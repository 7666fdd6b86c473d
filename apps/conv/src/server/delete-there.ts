import type { RemoteWorkspace } from '@conv/remote';

/** Deletes a conversation of a server. Rejects `ConversationError` as its requests do. */
export async function deleteThere(server: RemoteWorkspace, id: string): Promise<void> {
  const client = server.connect();
  try {
    await client.json({ method: 'DELETE', path: `/api/conversations/${encodeURIComponent(id)}` });
  } finally {
    await client.close();
  }
}
