import { nodeDisk, type Disk } from '@conv/persist-fs';

/** The disk as one process has it, and the end of that process. */
export interface KillableDisk {
  readonly disk: Disk;
  /** Ends it without another byte: later calls fail, those under way are carried out and never answered. Files are closed. */
  readonly kill: () => Promise<void>;
}

/** The disk of this machine for a part of this process that can be killed like a process of its own. */
export function killableDisk(): KillableDisk {
  const [files, underWay] = [new Set<number>(), new Set<Promise<unknown>>()];
  const killed = new AbortController();
  const disk = new Proxy(nodeDisk, {
    get: (target, method) => {
      const member: unknown = Reflect.get(target, method, target);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        if (killed.signal.aborted) throw new Error('the process was killed');
        const result: unknown = Reflect.apply(member, target, args);
        if (method === 'open') files.add(result as number);
        if (method === 'close') files.delete(args[0] as number);
        if (method === 'watch') killed.signal.addEventListener('abort', result as () => void);
        if (!(result instanceof Promise)) return result;
        underWay.add(result);
        return answered(result, killed.signal).finally(() => underWay.delete(result));
      };
    },
  });
  const kill = async (): Promise<void> => {
    killed.abort();
    // the kernel ends what it was told to do before the next process looks
    await Promise.allSettled(underWay);
    for (const file of files) nodeDisk.close(file);
  };
  return { disk, kill };
}

/** Resolves as `work`, unless its process is killed before. */
function answered(work: Promise<unknown>, killed: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const unlessKilled =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        if (!killed.aborted) settle(value);
      };
    work.then(unlessKilled(resolve), unlessKilled(reject));
  });
}
