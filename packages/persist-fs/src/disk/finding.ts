import type { Damage } from '@conv/core/store';

/** A fact about stored data that people may want to know, and that the store has dealt with. */
export type Finding =
  /** A write was interrupted. No caller had been told that it was stored. */
  | { readonly kind: 'tornTail'; readonly conversationId: string; readonly epoch: number; readonly bytes: number }
  /** Commits cannot be read. */
  | { readonly kind: 'damage'; readonly conversationId: string; readonly damage: Damage }
  /** Another program wrote into the folder, and its events and state are part of the log now. */
  | {
      readonly kind: 'imported';
      readonly conversationId: string;
      readonly events: number;
      readonly stateChanged: boolean;
    }
  /** Files of another program did not fit: gaps in the event numbers, unreadable content, state saved over ours. */
  | { readonly kind: 'misfit'; readonly conversationId: string; readonly reason: string }
  /** The files for OpenHands could not be written. The log is not affected; they are repaired on the next occasion. */
  | { readonly kind: 'mirrorFailed'; readonly conversationId: string; readonly error: unknown }
  /** The folder of a deleted conversation could not be emptied. The conversation is gone; the next deletion tries again. */
  | { readonly kind: 'leftover'; readonly conversationId: string; readonly folder: string; readonly error: unknown };

/** Receives findings. Must not throw. */
export type Report = (finding: Finding) => void;

/** Returns a report that passes each span of damage on once, because each reader finds the span again. */
export function reportOnce(report: Report): Report {
  const reported = new Map<string, readonly Damage[]>();
  return (finding) => {
    if (finding.kind !== 'damage') return report(finding);
    const { conversationId: id, damage } = finding;
    const known = reported.get(id) ?? [];
    if (known.some(({ from, to }) => from <= damage.from && damage.to <= to)) return;
    reported.set(id, [...known, damage]);
    report(finding);
  };
}
