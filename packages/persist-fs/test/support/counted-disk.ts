import { FaultyDisk } from '@conv/testing-disk';
import { nodeDisk, type Disk } from '../../src/index.ts';

/** A disk that counts the calls of it, each by its name. */
export function counted(): {
  readonly disk: Disk;
  readonly calls: (name?: string) => number;
  readonly reset: () => void;
} {
  let names: string[] = [];
  const { disk } = new FaultyDisk(nodeDisk, ({ name }) => void names.push(name));
  return {
    disk,
    calls: (name) => names.filter((one) => name === undefined || one === name).length,
    reset: () => (names = []),
  };
}
