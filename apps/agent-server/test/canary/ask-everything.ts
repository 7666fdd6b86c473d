import { routes } from '@conv/openhands/rest';

import type { Recorder } from './recorder.ts';

/** The resources to ask for. */
export interface Asked {
  /** Conversations; the events of the first are asked for one by one. */
  readonly ids: readonly string[];
  /** A folder of the machine. */
  readonly folder: string;
}

/** Asks every route that reads, with and without what it may be asked for. One is made to tell a value, and is left out. */
export async function askEverything(client: Recorder, { ids, folder }: Asked): Promise<void> {
  const [working = ''] = ids;
  const { body } = await client.ask('GET', `/api/conversations/${working}/events/search?limit=100`);
  const events = (body['items'] as unknown as readonly { readonly id: string }[]).map(({ id }) => id);
  const event = events.at(-1) ?? '';
  const fillings: Readonly<Record<string, string>> = { event_id: event, name: 'kept', profile_name: 'kept', path: '' };
  for (const route of routes.filter(({ method, operationId }) => method === 'GET' && operationId !== 'get_secret'))
    for (const id of [...ids, 'nothing']) {
      const path = route.path.replace(/\{(\w+)(?::path)?\}/g, (_, name: string) =>
        name === 'conversation_id' ? id : (fillings[name] ?? 'nothing'),
      );
      // the stream of a conversation ends where nothing is followed
      const query = new URLSearchParams({ path: folder, ids: id, ref: 'HEAD', follow: 'false' }).toString();
      if (!path.endsWith('/stream')) await client.ask('GET', path);
      await client.ask('GET', `${path}?${query}`);
      if (route.exposeSecrets) await client.ask('GET', path, undefined, { 'x-expose-secrets': 'encrypted' });
      if (!route.path.includes('conversation_id')) break;
    }
  for (const id of events) await client.ask('GET', `/api/conversations/${working}/events/${id}`);
}
