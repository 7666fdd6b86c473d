import type { Conversation } from '@conv/core';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { EventWindow, type WindowSnapshot } from '../window/event-window.ts';
import type { WindowSource } from '../window/window-source.ts';
import type { LiveAnswer } from './answer-delta.ts';
import { LiveAnswers } from './live-answers.ts';
import { LiveOutputs } from './live-outputs.ts';

/** Returns a window on a conversation, and what it shows now. It is closed with the component. */
export function useWindow(source: WindowSource): { readonly window: EventWindow; readonly shown: WindowSnapshot } {
  const window = useMemo(() => new EventWindow(source), [source]);
  useEffect(() => () => window.close(), [window]);
  const shown = useSyncExternalStore(
    useMemo(() => (listener: () => void) => window.subscribe(listener), [window]),
    () => window.snapshot,
  );
  return { window, shown };
}

/** Returns the answers of a conversation that are on their way. */
export function useLiveAnswers(conversation: Pick<Conversation, 'subscribe'>): readonly LiveAnswer[] {
  const answers = useMemo(
    () => new LiveAnswers(conversation, (tell) => void requestAnimationFrame(tell)),
    [conversation],
  );
  useEffect(() => () => answers.close(), [answers]);
  return useSyncExternalStore(
    useMemo(() => (listener: () => void) => answers.subscribe(listener), [answers]),
    () => answers.snapshot,
  );
}

/** Returns what the running tools of a conversation print; its views follow it by themselves. */
export function useLiveOutputs(conversation: Pick<Conversation, 'subscribe'>): LiveOutputs {
  const outputs = useMemo(
    () => new LiveOutputs(conversation, (tell) => void requestAnimationFrame(tell)),
    [conversation],
  );
  useEffect(() => () => outputs.close(), [outputs]);
  return outputs;
}
