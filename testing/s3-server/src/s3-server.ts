import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerRequest } from './answer-request.ts';
import { Bucket } from './bucket.ts';
import type { Fault, FaultHook, SeenRequest } from './fault.ts';
import type { Operation } from './operation.ts';
import { S3Error } from './s3-error.ts';
import { readRequest, readUnsigned, type RawRequest, type S3Request } from './s3-request.ts';
import type { Credentials } from './signature.ts';
import { Storage, type S3Answer } from './storage.ts';
import { escapeXml } from './xml.ts';

const XML_START = '<?xml version="1.0" encoding="UTF-8"?>\n';
const DEFAULT_CREDENTIALS: Credentials = { test: 'test1234' };

/** Options of an {@link S3Server}. */
export interface S3ServerOptions {
  /** Secret access keys by access key id. Default `{ test: 'test1234' }`. */
  readonly credentials?: Credentials;
  /** Port on 127.0.0.1. Default 0: any free one. */
  readonly port?: number;
  /** Its clock, for `Date` and `Last-Modified`, in epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  /**
   * Treatment of conditions on writes. `kept`: they are checked; `ignored`: writes overwrite silently, as on many servers;
   * `refused`: 501. Default `kept`.
   */
  readonly conditions?: 'kept' | 'ignored' | 'refused';
  /** Faults of requests; can be replaced at any time by {@link S3Server.faults}. */
  readonly faults?: FaultHook;
}

/** An answer to a request that came without a connection. */
export interface DirectAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An S3 server in this process. Holds everything in memory; each request happens as a whole or not at all. */
export class S3Server {
  readonly #http: Server;
  readonly #storage: Storage;
  readonly #credentials: Credentials;
  readonly #now: () => number;
  readonly #conditions: 'kept' | 'ignored' | 'refused';
  readonly #requests: SeenRequest[] = [];
  #arrived = 0;
  /** Decides what goes wrong from now on; `undefined`: nothing. */
  faults: FaultHook | undefined;

  constructor(options: S3ServerOptions) {
    this.#credentials = options.credentials ?? DEFAULT_CREDENTIALS;
    this.#now = options.now ?? Date.now;
    this.#conditions = options.conditions ?? 'kept';
    this.#storage = new Storage(this.#now);
    this.faults = options.faults;
    this.#http = createServer((request, response) => void this.#serve(request, response));
    this.#http.keepAliveTimeout = 60_000;
  }

  /** `http://127.0.0.1:PORT`, for the `endpoint` of a client with `forcePathStyle`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** The requests since the start or the last {@link S3Server.forget}, in the order of arrival. */
  get requests(): readonly SeenRequest[] {
    return this.#requests;
  }

  /** The number of requests of each operation. */
  get counts(): Readonly<Partial<Record<Operation, number>>> {
    const counts: Partial<Record<Operation, number>> = {};
    for (const { operation } of this.#requests) counts[operation] = (counts[operation] ?? 0) + 1;
    return counts;
  }

  /** Starts the counters anew. */
  forget(): void {
    this.#requests.length = 0;
    this.#arrived = 0;
  }

  /** Makes a bucket; nothing is counted. */
  createBucket(name: string): void {
    this.#storage.buckets.set(name, new Bucket());
  }

  /** The keys of a bucket, sorted; nothing is counted. */
  keys(bucket: string): readonly string[] {
    return this.#storage.bucket(bucket).keys();
  }

  /** The body of an object; nothing is counted. */
  body(bucket: string, key: string): Buffer {
    return this.#storage.object(bucket, key).body;
  }

  /** Overwrites or removes an object as another program would; counts no request. */
  damage(bucket: string, key: string, change: (body: Buffer) => Buffer | undefined): void {
    const object = this.#storage.object(bucket, key);
    const body = change(Buffer.from(object.body));
    if (body) this.#storage.bucket(bucket).put(key, { ...object, body, etag: randomUUID(), checksums: {} });
    else this.#storage.bucket(bucket).delete(key);
  }

  /** Puts an object there as it was once; nothing is counted. `modified`: epoch milliseconds. */
  restore(bucket: string, key: string, body: Buffer, modified: number): void {
    this.#storage.bucket(bucket).put(key, { body, etag: randomUUID(), modified, headers: {}, checksums: {} });
  }

  /** Answers a request of this process without a connection: nothing is signed, and nothing goes wrong. */
  answer(raw: RawRequest): DirectAnswer {
    const date = new Date(this.#now()).toUTCString();
    try {
      const request = readUnsigned(raw);
      this.#see(request);
      const answer = answerRequest(this.#storage, request);
      const { status = 200, headers = {} } = answer;
      const sent = { ...lengthOf(answer), ...headers, date };
      const body = request.operation === 'HeadObject' ? undefined : bodyOf(answer);
      return { status, headers: mapText(sent), body: body ?? new Uint8Array() };
    } catch (error) {
      const { status, headers, xml } = refusalOf(error);
      return { status, headers: mapText({ ...headers, date }), body: Buffer.from(raw.method === 'HEAD' ? '' : xml) };
    }
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, '127.0.0.1', resolve);
    });
  }

  /** Cuts all connections and stops. Idempotent. */
  close(): Promise<void> {
    this.#http.closeAllConnections();
    return new Promise((resolve) => this.#http.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      // The client has gone away in the middle of its request, so there is no client to answer.
      return;
    }
    response.setHeader('date', new Date(this.#now()).toUTCString());
    response.setHeader('x-amz-request-id', randomUUID());
    const { method = '', url = '/', headers } = incoming;
    try {
      const raw = { method, target: url, headers, body: Buffer.concat(chunks) };
      const request = readRequest(raw, this.#credentials, this.#now());
      await this.#execute(request, response);
    } catch (error) {
      refuseWith(response, method, error);
    }
  }

  async #execute(request: S3Request, response: ServerResponse): Promise<void> {
    const seen = this.#see(request);
    let fault = this.faults?.(seen);
    while (fault?.kind === 'hold') {
      await Promise.allSettled([fault.until]);
      fault = fault.next;
    }
    if (fault && isBefore(fault)) return goWrong(fault, response);
    const loss = fault?.kind === 'cut' ? undefined : fault;
    let answer: S3Answer;
    try {
      answer = answerRequest(this.#storage, this.#conditioned(request, seen));
    } catch (error) {
      // A refusal is an answer, too, and may be lost like any other.
      if (loss) return goWrong(loss, response);
      throw error;
    }
    if (loss) return goWrong(loss, response);
    send(response, request.operation, answer, fault?.kind === 'cut');
  }

  #conditioned(request: S3Request, { condition }: SeenRequest): S3Request {
    if (condition === 'none' || this.#conditions === 'kept') return request;
    if (this.#conditions === 'refused') throw new S3Error(501, 'NotImplemented');
    const { 'if-match': _match, 'if-none-match': _noneMatch, ...headers } = request.headers;
    return { ...request, headers };
  }

  #see({ operation, bucket, key, headers }: S3Request): SeenRequest {
    const isWrite = operation !== 'GetObject' && operation !== 'HeadObject';
    const condition =
      isWrite && headers['if-match'] !== undefined
        ? 'ifMatch'
        : isWrite && headers['if-none-match'] !== undefined
          ? 'ifNoneMatch'
          : 'none';
    const seen: SeenRequest = { number: this.#arrived++, operation, bucket, key, condition };
    this.#requests.push(seen);
    return seen;
  }
}

/** Starts a server on 127.0.0.1. Resolves when it listens. */
export async function createS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const server = new S3Server(options);
  await server.listen(options.port ?? 0);
  return server;
}

function isBefore(fault: Fault): boolean {
  return (fault.kind === 'refuse' || fault.kind === 'drop') && !fault.applied;
}

function goWrong(fault: Fault, response: ServerResponse): void {
  if (fault.kind === 'refuse') throw new S3Error(fault.status, fault.code);
  response.socket?.destroy();
}

function send(response: ServerResponse, operation: Operation, answer: S3Answer, cut: boolean): void {
  const body = bodyOf(answer);
  response.writeHead(answer.status ?? 200, { ...answer.headers, ...lengthOf(answer) });
  if (operation === 'HeadObject' || !body) response.end();
  else if (cut) response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
  else response.end(body);
}

function bodyOf({ xml, body }: S3Answer): Uint8Array | undefined {
  return xml === undefined ? body : Buffer.from(XML_START + xml);
}

function lengthOf(answer: S3Answer): Record<string, string | number> {
  if (answer.xml === undefined) return {};
  return { 'content-type': 'application/xml', 'content-length': bodyOf(answer)?.length ?? 0 };
}

function mapText(headers: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function refusalOf(error: unknown): { status: number; headers: Readonly<Record<string, string>>; xml: string } {
  const known = error instanceof S3Error ? error : new S3Error(500, 'InternalError', String(error));
  const xml = `<Error><Code>${known.code}</Code><Message>${escapeXml(known.message)}</Message></Error>`;
  return {
    status: known.status,
    headers: { 'content-type': 'application/xml', ...known.headers },
    xml: known.status === 304 ? '' : XML_START + xml,
  };
}

function refuseWith(response: ServerResponse, method: string, error: unknown): void {
  const { status, headers, xml } = refusalOf(error);
  response.writeHead(status, headers);
  response.end(method === 'HEAD' || xml === '' ? undefined : xml);
}
