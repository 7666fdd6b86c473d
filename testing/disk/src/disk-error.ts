const meanings: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'file already exists',
  EIO: 'i/o error',
  EISDIR: 'illegal operation on a directory',
  EMFILE: 'too many open files',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EROFS: 'read-only file system',
};

/** An error as Node's `fs` throws it. */
export function diskError(code: string, call: string, subject: string): Error & { readonly code: string } {
  const error = new Error(`${code}: ${meanings[code] ?? 'failed'}, ${call} '${subject}'`);
  return Object.assign(error, { code });
}
