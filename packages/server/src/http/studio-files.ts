import { constants, gzip, brotliCompress } from 'node:zlib';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

/** A file of the page in the form in which it is sent. */
export interface StudioFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** The `Content-Encoding` of `bytes`; `undefined` for the bytes as they are. */
  readonly encoding: 'br' | 'gzip' | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Types whose bytes are compressed already. */
const DENSE: ReadonlySet<string> = new Set(['.png', '.woff2', '.ico']);

/** Codes of paths at which no file can be. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** Names below the folder: no empty part and none that begins with a dot. */
const NAME = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

interface Kept {
  /** Time and size of the file when it was read. */
  readonly version: string;
  readonly answers: Map<StudioFile['encoding'], Promise<StudioFile>>;
}

/** The files of a built page. Each file is read and compressed once, and again after it changed on disk. */
export class StudioFiles {
  readonly #folder: string;
  readonly #kept = new Map<string, Kept>();

  /** @param folder absolute */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Resolves with a file by its path below the folder; `undefined` when there is none. Links out of the folder are not followed. Rejects when
   * the file cannot be read now, as when this process can open no file.
   * @param accepted the `Accept-Encoding` header of the request
   */
  async get(name: string, accepted: string = ''): Promise<StudioFile | undefined> {
    const extension = extname(name);
    const type = TYPES[extension];
    if (!NAME.test(name) || type === undefined) return undefined;
    const path = join(this.#folder, name);
    const found = await stat(path).catch((error: unknown) => {
      // any other error says nothing about the file
      if (MISSING.has(Object(error).code)) return undefined;
      throw error;
    });
    if (!found?.isFile() || !(await this.#holds(path))) return undefined;
    const version = `${found.mtimeMs} ${found.size}`;
    let kept = this.#kept.get(name);
    if (kept?.version !== version) this.#kept.set(name, (kept = { version, answers: new Map() }));
    const encoding = DENSE.has(extension) ? undefined : encodingOf(accepted);
    let answer = kept.answers.get(encoding);
    if (!answer) kept.answers.set(encoding, (answer = read(path, type, encoding)));
    answer.catch(() => kept.answers.delete(encoding));
    return answer;
  }

  async #holds(path: string): Promise<boolean> {
    return !relative(await realpath(this.#folder), await realpath(path))
      .split(sep)
      .includes('..');
  }
}

async function read(path: string, type: string, encoding: StudioFile['encoding']): Promise<StudioFile> {
  const bytes = await readFile(path);
  return { type, encoding, bytes: await encoded(bytes, encoding) };
}

async function encoded(bytes: Buffer, encoding: StudioFile['encoding']): Promise<Buffer> {
  if (encoding === undefined) return bytes;
  if (encoding === 'gzip') return promisify(gzip)(bytes);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return promisify(brotliCompress)(bytes, { params });
}

/** Returns the densest encoding that a client accepts. */
function encodingOf(accepted: string): StudioFile['encoding'] {
  const names = accepted
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(?:\.0*)?$/.test(part))
    .map((part) => part.split(';')[0]);
  return (['br', 'gzip'] as const).find((encoding) => names.includes(encoding));
}
