import type { Disk } from '@conv/persist-fs';

import type { Strike } from '../life-plan.ts';
import { strikeSelf } from './strike-self.ts';

/**
 * A disk on which the process is struck before its n-th operation. Dying in a write leaves a part of the bytes behind, as
 * a signal does in between two pages.
 */
export function mortalDisk(disk: Disk, strike: Extract<Strike, { at: 'disk' }>): Disk {
  let operations = 0;
  return intercept(disk, (method, args) => {
    if (strike.method !== 'any' && strike.method !== method) return;
    if (++operations !== strike.operation) return;
    if (method === 'write' && strike.signal === 'SIGKILL') {
      const [file, bytes, position] = args as Parameters<Disk['write']>;
      disk.write(file, bytes.subarray(0, Math.floor(bytes.length * strike.part)), position);
    }
    strikeSelf(strike.signal);
  });
}

/** The disk, with `before` called before each of its methods. */
function intercept(disk: Disk, before: (method: string | symbol, args: readonly unknown[]) => void): Disk {
  return new Proxy(disk, {
    get(target, method) {
      const member: unknown = Reflect.get(target, method, target);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        before(method, args);
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}
