import { parseStoreAddress } from './store-address.ts';

/** Endings of the files of a store in SQLite, beside that of the database itself. */
const BESIDE = ['', '-wal', '-shm', '-ends', '-kept'];

/** Returns the folder or the files of a store on this machine, which agents must not reach; none for a store elsewhere. */
export function pathsOfStore(address: string): readonly string[] {
  const parsed = parseStoreAddress(address);
  if (parsed.kind === 'fs') return [parsed.directory];
  return parsed.kind === 'sqlite' ? BESIDE.map((end) => `${parsed.file}${end}`) : [];
}
