import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** File systems of the Linux kernel by their type numbers of `statfs(2)`. A write there changes the machine, or fails late. */
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

/** Returns the name of the kernel's file system that the path lies in, or would lie in; else `undefined`. */
export function pseudoFileSystem(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  for (let place = path; ; place = dirname(place)) {
    const type = typeOf(place);
    if (type !== undefined) return PSEUDO.get(type >>> 0);
    if (dirname(place) === place) return undefined;
  }
}

/** Returns the type of the path's file system; `undefined` if the path is missing or unreadable. */
function typeOf(path: string): number | undefined {
  try {
    return statfsSync(path).type;
  } catch {
    return undefined;
  }
}
