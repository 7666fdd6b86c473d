import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Where Linux shows itself as files, by the numbers of `statfs(2)`. What is made there changes the machine, or is refused late. */
const PSEUDO: ReadonlyMap<number, string> = new Map([
  [0x9fa0, 'proc'],
  [0x62656572, 'sysfs'],
  [0x27e0eb, 'cgroup'],
  [0x63677270, 'cgroup2'],
  [0x1cd1, 'devpts'],
  [0x64626720, 'debugfs'],
  [0x74726163, 'tracefs'],
  [0x73636673, 'securityfs'],
  [0xf97cff8c, 'selinuxfs'],
  [0x6165676c, 'pstore'],
  [0xcafe4a11, 'bpf'],
  [0x62656570, 'configfs'],
  [0xde5e81e4, 'efivarfs'],
  [0x65735543, 'fusectl'],
  [0x42494e4d, 'binfmt_misc'],
  [0x19800202, 'mqueue'],
]);

/** The name of the file system that a path lies in, or would, if it is one by which the kernel shows itself; else `undefined`. */
export function pseudoFileSystem(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  for (let place = path; ; place = dirname(place)) {
    const type = typeOf(place);
    if (type !== undefined) return PSEUDO.get(type >>> 0);
    if (dirname(place) === place) return undefined;
  }
}

/** `undefined` for what is not there, or cannot be looked at. */
function typeOf(path: string): number | undefined {
  try {
    return statfsSync(path).type;
  } catch {
    return undefined;
  }
}
