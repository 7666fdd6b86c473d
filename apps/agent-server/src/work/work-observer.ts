import type { CommitObserver } from '@conv/otel/work';
import type { RunObserver } from '@conv/server';

/** Told of runs, and of what conversations do in them. Must not throw. */
export interface WorkObserver extends RunObserver, CommitObserver {}

/** Makes an observer that tells each of the given ones, in their order. */
export function allOf(observers: readonly WorkObserver[]): Required<WorkObserver> {
  return {
    accepted: (...told) => observers.forEach((each) => each.accepted?.(...told)),
    started: (...told) => observers.forEach((each) => each.started?.(...told)),
    ended: (...told) => observers.forEach((each) => each.ended?.(...told)),
    statusChanged: (...told) => observers.forEach((each) => each.statusChanged?.(...told)),
    modelCalled: (...told) => observers.forEach((each) => each.modelCalled?.(...told)),
    toolStarted: (...told) => observers.forEach((each) => each.toolStarted?.(...told)),
    toolEnded: (...told) => observers.forEach((each) => each.toolEnded?.(...told)),
    released: (...told) => observers.forEach((each) => each.released?.(...told)),
  };
}
