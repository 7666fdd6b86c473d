import { readFileSync, statSync } from 'node:fs';

/** Offset in the `-shm` file of the byte that a writing connection locks: https://www.sqlite.org/walformat.html, 2.3. */
const WRITE_LOCK = 120;

/**
 * Describes the process that holds the write lock, and whether it is stopped, for an error message. Returns an empty text if the
 * system does not tell, as without `/proc` and for processes of another container.
 */
export function lockHolder(database: string): string {
  try {
    const { ino } = statSync(`${database}-shm`);
    const pid = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map(holderIn(ino))
      .find((one) => one !== undefined);
    if (pid === undefined || pid === process.pid) return '';
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const isStopped = /^ [Tt] /.test(stat.slice(stat.lastIndexOf(')') + 1));
    const advice = isStopped
      ? ` is stopped in the middle of a transaction: continue it with kill -CONT ${pid}, or end it`
      : ' is writing';
    return `process ${pid} (${name})${advice}`;
  } catch {
    return '';
  }
}

/** Returns the process in a line of `/proc/locks` such as `1: POSIX  ADVISORY  WRITE 4711 fe:01:131 120 120`. */
function holderIn(inode: number): (line: string) => number | undefined {
  return (line) => {
    const found = /POSIX\s+ADVISORY\s+WRITE\s+(\d+)\s+\S+:(\d+)\s+(\d+)\s+(\d+|EOF)/.exec(line);
    if (!found || Number(found[2]) !== inode) return undefined;
    const [start, end] = [Number(found[3]), found[4] === 'EOF' ? Infinity : Number(found[4])];
    return start <= WRITE_LOCK && WRITE_LOCK <= end ? Number(found[1]) : undefined;
  };
}
