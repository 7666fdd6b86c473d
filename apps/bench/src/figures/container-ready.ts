import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { ContainerWorkspace } from '@conv/container';
import { keptPort } from '@conv/testing-harness';

import { median, time, timeBeside, type Figure } from '../figure.ts';

/** The image that `npm run image` builds, unless `CONV_IMAGE` names another one. */
const IMAGE = 'localhost/conv-agent-server';

/** Milliseconds between two looks at a server that starts. */
const LOOK = 20;

/**
 * Measures the time until a container workspace is ready, beside the container's own start: the engine makes and starts a container of the same image, and its server
 * answers. Both are taken in turns. There are no figures without an engine, whose socket `DOCKER_HOST` names, and without the image.
 */
export async function containerReady(samples: number): Promise<readonly Figure[]> {
  const socket = /^unix:\/\/(\/.+)$/.exec(process.env['DOCKER_HOST'] ?? '')?.[1];
  if (socket === undefined) return [];
  const image = process.env['CONV_IMAGE'] || IMAGE;
  const engine = new Engine(socket);
  if ((await engine.call('GET', `/images/${image}/json`)).status !== 200) return [];
  const times: { readonly own: number[]; readonly workspace: number[] } = { own: [], workspace: [] };
  // the first one of each is not counted: the engine has read the image then
  for (let sample = -1; sample < samples; sample++) {
    const own = await ownStart(engine, image);
    const workspace = new ContainerWorkspace({ image, executor: true });
    const taken = await time(() => workspace.start());
    await workspace.close();
    if (sample < 0) continue;
    times.own.push(own);
    times.workspace.push(taken);
  }
  const [value, baseline] = [median(times.workspace), median(times.own)];
  return [timeBeside({ name: 'container.ready', value, baseline, limit: 1.5 })];
}

/** Resolves with the milliseconds from the request for a container until its server answers. Removes the container. */
async function ownStart(engine: Engine, image: string): Promise<number> {
  const [name, port] = [`conv-bench-${randomUUID()}`, await keptPort()];
  const body = {
    Image: image,
    Env: ['CONV_HOST=0.0.0.0', 'CONV_PORT=8000', 'CONV_EXECUTOR=true', `OH_SESSION_API_KEYS_0=${randomUUID()}`],
    ExposedPorts: { '8000/tcp': {} },
    HostConfig: {
      PortBindings: { '8000/tcp': [{ HostIp: '127.0.0.1', HostPort: String(port) }] },
      // an engine that may not raise the limits of this process needs limits of its own
      Ulimits: [
        { Name: 'nofile', Soft: 1024, Hard: 1024 },
        { Name: 'nproc', Soft: 1000, Hard: 1000 },
      ],
    },
  };
  try {
    return await time(async () => {
      await engine.must('POST', `/containers/create?name=${name}`, body);
      await engine.must('POST', `/containers/${name}/start`);
      while (!(await answers(port))) await sleep(LOOK);
    });
  } finally {
    await engine.must('DELETE', `/containers/${name}?force=true&v=true`);
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/ready`);
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

/** The API of Docker or Podman at a socket. */
class Engine {
  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
  }

  async call(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly text: string }> {
    const headers = body && { 'content-type': 'application/json' };
    const asked = request({ socketPath: this.#socket, method, path, ...(headers && { headers }) });
    asked.end(body && JSON.stringify(body));
    const [answer] = (await once(asked, 'response')) as [AsyncIterable<Buffer> & { readonly statusCode?: number }];
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part);
    return { status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() };
  }

  /** Rejects `Error` with what the engine says if it refuses. */
  async must(method: string, path: string, body?: object): Promise<void> {
    const { status, text } = await this.call(method, path, body);
    if (status >= 400) throw new Error(`expected the engine to do ${method} ${path}, found status ${status}: ${text}`);
  }
}
