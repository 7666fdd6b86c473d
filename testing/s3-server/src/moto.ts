import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { keptPort } from '@conv/testing-harness';

const VERSION = '5.2.1';
const ATTEMPTS = 600;

/** The requirement of moto for pip. */
export const MOTO: string = `moto[s3,server]==${VERSION}`;

/** The virtual environment of moto. */
export const MOTO_FOLDER: string = join(import.meta.dirname, `../../../.cache/moto-${VERSION}`);

/** It checks neither signatures nor CRC32 and MD5 of a body, and copies over what is there. */
const DIFFERS: ReadonlySet<string> = new Set([
  'a body with a wrong CRC32 is refused with 400',
  'a body with a wrong MD5 is refused with 400',
  'copying with If-None-Match: * over what is there is refused with 412',
  'a presigned URL that was changed is refused with 403',
  'a wrong secret is refused with 403',
]);

/** A running moto server. */
export interface Moto {
  readonly name: string;
  readonly endpoint: string;
  /** Names of the checks that are known to fail on it. */
  readonly differs: ReadonlySet<string>;
  readonly stop: () => Promise<void>;
}

/** The server to check, and moto if it was started for the check. */
export interface ChosenServer {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly moto: Moto | undefined;
}

/** Resolves with the server that the command line of this process names; without an endpoint, starts moto. */
export async function chosenServer(): Promise<ChosenServer> {
  const { values } = parseArgs({
    options: {
      endpoint: { type: 'string' },
      'access-key-id': { type: 'string', default: 'test' },
      'secret-access-key': { type: 'string', default: 'test1234' },
      region: { type: 'string', default: 'us-east-1' },
    },
  });
  const moto = values.endpoint === undefined ? await startMoto() : undefined;
  return {
    endpoint: values.endpoint ?? moto?.endpoint ?? '',
    region: values.region,
    accessKeyId: values['access-key-id'],
    secretAccessKey: values['secret-access-key'],
    moto,
  };
}

/** Starts moto, an S3 server in Python, from its virtual environment, which `npm run check:s3` makes. */
export async function startMoto(): Promise<Moto> {
  const program = join(MOTO_FOLDER, 'bin/moto_server');
  if (!existsSync(program)) throw new Error(`expected moto in ${MOTO_FOLDER}, found none: run npm run check:s3 once`);
  const port = await keptPort();
  const child = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const endpoint = `http://127.0.0.1:${port}`;
  await answering(endpoint);
  const stop = async (): Promise<void> => {
    child.kill();
    await exited;
  };
  return { name: `moto ${VERSION}`, endpoint, differs: DIFFERS, stop };
}

async function answering(endpoint: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answered = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await setTimeout(100);
  }
  throw new Error(`${endpoint} does not answer`);
}
