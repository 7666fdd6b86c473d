import { Readable } from 'node:stream';

import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Server } from '@conv/testing-s3-server';

/** A request as the SDK hands it to its transport. */
interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** A client of a server in this process. Its requests are real ones of the SDK; no socket, signature or checksum costs time. */
export function directClient(server: S3Server): S3Client {
  const requestHandler: S3ClientConfig['requestHandler'] = {
    handle: async (request: SdkRequest) => {
      const { status, headers, body } = server.answer({
        method: request.method,
        target: targetOf(request),
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
        ),
        body: Buffer.from(request.body ?? ''),
      });
      return { response: { statusCode: status, headers: { ...headers }, body: Readable.from([body]) } };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  };
  return new S3Client({
    requestHandler,
    endpoint: 'http://in.process',
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test1234' },
    signer: { sign: async (request) => request },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

function targetOf({ path, query }: SdkRequest): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(
      (one) => `${encodeURIComponent(name)}${one === null ? '' : `=${encodeURIComponent(one)}`}`,
    ),
  );
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
}
