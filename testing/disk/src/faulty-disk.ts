import { diskError } from './disk-error.ts';

/** A call of a disk port. */
export interface DiskCall {
  /** The name of the method. */
  readonly name: string;
  /** Its first argument: a path, or the number of an open file. */
  readonly subject: string;
  /** The number of earlier calls. */
  readonly number: number;
}

/** Methods that reject instead of throwing. */
const later: ReadonlySet<string> = new Set([
  'createFile',
  'readFile',
  'readFolder',
  'sync',
  'syncFolder',
  'removeFolder',
]);

type Method = (...args: readonly unknown[]) => unknown;

/** A disk port in front of another one: every call can fail, and what is held of it is counted. */
export class FaultyDisk<Port extends object> {
  /** Hand this to what is tested. */
  readonly disk: Port;
  /** The number of calls so far. */
  calls = 0;
  readonly #fault: (call: DiskCall) => string | undefined;
  readonly #files = new Map<unknown, string>();
  #watches = 0;

  /** `fault` is asked before each call, and names the error with which it fails, such as `EMFILE`. */
  constructor(port: Port, fault: (call: DiskCall) => string | undefined = () => undefined) {
    this.#fault = fault;
    this.disk = new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== 'function' || typeof name !== 'string') return method;
        return (...args: readonly unknown[]) => this.#call(target, name, method as Method, args);
      },
    });
  }

  /** The paths of the files and the number of the watches that are not given back. */
  get held(): { readonly files: readonly string[]; readonly watches: number } {
    return { files: [...this.#files.values()], watches: this.#watches };
  }

  #call(target: Port, name: string, method: Method, args: readonly unknown[]): unknown {
    const subject = String(args[0]);
    const code = this.#fault({ name, subject, number: this.calls++ });
    const error = code === undefined ? undefined : diskError(code, name, subject);
    // As close(2) does: the descriptor is gone, whatever it answers.
    if (error && name !== 'close') {
      if (later.has(name)) return Promise.reject(error);
      throw error;
    }
    const result = method.apply(target, args as unknown[]);
    if (name === 'open') this.#files.set(result, subject);
    if (name === 'close') this.#files.delete(args[0]);
    if (error) throw error;
    return name === 'watch' ? this.#watched(result as () => void) : result;
  }

  #watched(stop: () => void): () => void {
    let watching = true;
    this.#watches++;
    return () => {
      if (watching) this.#watches--;
      watching = false;
      stop();
    };
  }
}
