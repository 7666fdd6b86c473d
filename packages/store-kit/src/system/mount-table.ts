import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * Matches types of file systems whose mounts are listed with the path in the file system that they lead to. Others say `/` for each, as that of
 * NFS does, or something of their own.
 */
const WITH_PATHS = /^(?:ext[234]|xfs|btrfs|f2fs|tmpfs|overlay|bcachefs)$/;

/** The mounts of a process, by default of this one, as Linux lists them: https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
export class MountTable {
  readonly #lines: string;

  constructor(lines: string = readFileSync('/proc/self/mountinfo', 'utf8')) {
    this.#lines = `\n${lines}`;
  }

  /**
   * Returns how the list of any process has a mount of this file or folder: the device and the path in its file system, with a blank between them.
   * `undefined` for a file system that does not list such paths.
   *
   * @param descriptor of what is at `path`
   */
  listed(descriptor: number, path: string): string | undefined {
    const [, id = ''] = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    const at = this.#lines.indexOf(`\n${id} `);
    if (id === '' || at === -1) return undefined;
    const [mount = '', system = ''] = this.#lines.slice(at + 1, this.#lines.indexOf('\n', at + 1)).split(' - ');
    const [, , device = '', root = '', point = ''] = mount.split(' ');
    const within = relative(point, asListed(path));
    // the second: the mount has been moved
    if (!WITH_PATHS.test(system.split(' ')[0] ?? '') || within.startsWith('..')) return undefined;
    return `${device} ${within === '' ? root : `${root === '/' ? '' : root}/${within}`}`;
  }

  /** Returns each mount at a path, in the words of {@link listed}. */
  at(path: string): readonly string[] {
    const mounts = this.#lines.split('\n').map((line) => line.split(' '));
    return mounts.filter((words) => words[4] === asListed(path)).map((words) => `${words[2]} ${words[3]}`);
  }
}

/** Returns a path as the kernel writes it into its list of mounts. */
export function asListed(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
