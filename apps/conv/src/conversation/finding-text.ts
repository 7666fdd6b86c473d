import { errorText } from '@conv/core';
import type { Damage } from '@conv/core/store';
import type { Finding } from '@conv/persist-fs';

import { warn } from '../terminal/output.ts';

/** Warns about a problem that a store found and handled. */
export function warnOf(finding: object): void {
  const { conversationId: id } = finding as Partial<Finding>;
  warn(`${id === undefined ? '' : `conversation ${id}: `}${findingText(finding as Finding | Failed)}`);
}

/** A finding of another store than folders: what failed is in its kind. */
interface Failed {
  readonly kind: 'packFailed' | 'summaryFailed' | 'releaseFailed' | 'signFailed' | 'listFailed';
  readonly error: unknown;
}

function findingText(finding: Finding | Failed): string {
  switch (finding.kind) {
    case 'tornTail':
      return `an unfinished write of ${finding.bytes} bytes was dropped; it had not been acknowledged`;
    case 'damage':
      return damageText(finding.damage);
    case 'imported':
      return `${finding.events} events of another program were imported`;
    case 'misfit':
      return finding.reason;
    case 'mirrorFailed':
      return `the files for OpenHands could not be written: ${String(finding.error)}`;
    case 'leftover':
      return `is deleted, but ${finding.folder} could not be emptied: ${String(finding.error)}`;
    case 'listFailed':
    case 'packFailed':
    case 'releaseFailed':
    case 'signFailed':
    case 'summaryFailed':
      return `${finding.kind}: ${errorText(finding.error)}`;
  }
}

/** A damaged span in words. */
export function damageText({ from, to, reason, restored }: Damage): string {
  const commits = from === to ? `commit ${from}` : `commits ${from} to ${to}`;
  const saved = restored.length === 0 ? '' : `; restored from another copy: event ${restored.join(', ')}`;
  return `${commits} cannot be read: ${reason}${saved}`;
}
