import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { KEY } from '../interop/servers.mjs';

const TIMEOUT = 60_000;

/** The server as another client sees it, and what is in its folder. */
export class Place {
  #url;
  #folder;

  constructor({ url, folder }) {
    this.#url = url;
    this.#folder = folder;
  }

  /** Asks the server; rejects for an answer with an error status. */
  async ask(method, path, body) {
    const response = await fetch(this.#url + path, {
      method,
      headers: { 'x-session-api-key': KEY, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async status(id) {
    const { execution_status: status } = await this.ask('GET', `/api/conversations/${id}`);
    return status;
  }

  /** The events of a conversation as they are on disk. */
  async stored(id) {
    const folder = join(this.#folder, 'conversations', id.replaceAll('-', ''), 'events');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
    return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))));
  }

  /** Resolves when as many events of this kind are on disk, with the last of them. */
  storedOf(id, kind, count = 1) {
    return eventually(`${count} ${kind} on disk`, async () => {
      const events = (await this.stored(id)).filter((event) => event.kind === kind);
      return events.length >= count && events.at(-1);
    });
  }

  /** Resolves when the conversation has this status. */
  async reaches(id, wanted) {
    await eventually(`the status ${wanted}`, async () => (await this.status(id)) === wanted);
  }

  /** The folder that a conversation works in. */
  async workFolder(id) {
    const { workspace } = await this.ask('GET', `/api/conversations/${id}`);
    return workspace.working_dir;
  }
}

/** Resolves with what `look` finds, once it finds something. */
export async function eventually(what, look) {
  const deadline = Date.now() + TIMEOUT;
  while (Date.now() < deadline) {
    const found = await look();
    if (found) return found;
    await setTimeout(50);
  }
  throw new Error(`${what} did not come within ${TIMEOUT / 1000} s`);
}
