import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs';
import process from 'node:process';

/** A folder that is open. All acts begin at it, whatever has its name by then. */
export interface HeldFolder extends AsyncDisposable {
  /** A path of it for this process, until it is disposed of. */
  readonly path: string;
  /** The same for programs that this process starts. */
  readonly pathForOthers: string;
}

/** `O_PATH` of Linux, which Node.js does not name: a handle to pass by, for which no right to read is needed. */
const O_PATH = 0x20_0000;
/** `O_NOFOLLOW_ANY` of macOS, which refuses a symbolic link anywhere in a path. */
const O_NOFOLLOW_ANY = 0x2000_0000;

/**
 * Opens a folder without symbolic links in its path; `undefined` if one is there now. Throws the error of the file system, also where the system is neither Linux nor macOS.
 *
 * It opens and looks at once, because to wait for a thread takes longer than both. On Linux nothing of the folder itself is read.
 */
export function holdFolder(host: string): HeldFolder | undefined {
  return process.platform === 'darwin' ? holdOnMac(host) : holdOnLinux(host);
}

function holdOnLinux(host: string): HeldFolder | undefined {
  const descriptor = openSync(host, O_PATH | constants.O_DIRECTORY);
  const path = `/proc/self/fd/${descriptor}`;
  try {
    if (readlinkSync(path) === host) return held(descriptor, path, `/proc/${process.pid}/fd/${descriptor}`);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  closeSync(descriptor);
  return undefined;
}

/** There a path with the numbers of a folder leads to it under all its names. The numbers stay its own while it is open. */
function holdOnMac(host: string): HeldFolder | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(host, constants.O_RDONLY | constants.O_DIRECTORY | O_NOFOLLOW_ANY);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP') return undefined;
    throw error;
  }
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    const path = `/.vol/${dev}/${ino}`;
    return held(descriptor, path, path);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function held(descriptor: number, path: string, pathForOthers: string): HeldFolder {
  let isOpen = true;
  const close = async (): Promise<void> => {
    // once: another file may have its number by then
    if (!isOpen) return;
    isOpen = false;
    closeSync(descriptor);
  };
  return { path, pathForOthers, [Symbol.asyncDispose]: close };
}
