import { checkValue } from './checked-text.ts';
import { lifeOf, ownIdentity, type ProcessIdentity, type ProcessLife } from './process-identity.ts';

/** Boot and container, pid, and the start of the process, which not every system says. */
const MARK = /^([0-9a-f]{8})-(\d+)-(\d*)$/;

/** Returns a short text of digits, letters and hyphens that identifies this process, for the names of its temporary folders. */
export function processMark(): string {
  const { pid, startedAt, ...place } = ownIdentity();
  return `${placeMark(place)}-${pid}-${startedAt ?? ''}`;
}

/** Returns the state of the process with a mark. A process of another machine, boot or container is `unknown`, and so is any other text. */
export function lifeOfMark(mark: string): ProcessLife {
  const [, place, pid, startedAt = ''] = MARK.exec(mark) ?? [];
  // the system is asked for marks alone: most names in a folder for temporary files are none
  if (place === undefined) return 'unknown';
  const own = ownIdentity();
  if (place !== placeMark(own)) return 'unknown';
  return lifeOf({ ...own, pid: Number(pid), startedAt: startedAt === '' ? null : startedAt }, own);
}

/** Returns a short text for the boot and the container, because a pid is unique only within both. */
function placeMark({ boot, namespace }: Pick<ProcessIdentity, 'boot' | 'namespace'>): string {
  return checkValue(`${boot} ${namespace}`);
}
