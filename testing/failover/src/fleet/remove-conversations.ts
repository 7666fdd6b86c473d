import { SESSION_KEY, type Fleet } from './fleet.ts';

/**
 * Starts a server of the fleet again, deletes conversations there as a client does, and ends it. Resolves with words for what was
 * refused.
 */
export async function removeConversations(fleet: Fleet, ids: readonly string[]): Promise<readonly string[]> {
  const [server] = fleet.servers;
  if (!server) return [];
  await server.start();
  const problems: string[] = [];
  for (const id of ids) {
    const url = `${server.url}/api/conversations/${id}`;
    const answer = await fetch(url, { method: 'DELETE', headers: { 'x-session-api-key': SESSION_KEY } });
    const text = await answer.text();
    if (!answer.ok) problems.push(`conversation ${id} was not deleted: ${answer.status} ${text}`);
  }
  await server.end();
  return problems;
}
