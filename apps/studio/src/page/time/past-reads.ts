import { type ConversationHistory, isConversationError, type pastViews } from '@conv/core';

/** The parts of a conversation's history that tell its past at a glance. A runtime may lack them. */
export interface PastSource {
  readonly history: Pick<ConversationHistory, 'at'> & {
    outline?(options?: pastViews.OutlineOptions): Promise<pastViews.Outline>;
    view?(point: Parameters<ConversationHistory['at']>[0], page?: pastViews.ViewPage): Promise<pastViews.ModelView>;
  };
}

/** Resolves with the outline of a log; with `undefined` where the server has none. */
export async function readOutline(
  { history }: PastSource,
  options: pastViews.OutlineOptions,
): Promise<pastViews.Outline | undefined> {
  return orNothing(() => history.outline?.(options));
}

/** Resolves with the messages that the model would get after an event; with `undefined` where the server cannot tell. */
export async function readView(
  { history }: PastSource,
  event: number,
  page?: pastViews.ViewPage,
): Promise<pastViews.ModelView | undefined> {
  return orNothing(() => history.view?.({ event }, page));
}

async function orNothing<T>(read: () => Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isConversationError(error, 'UNSUPPORTED')) return undefined;
    throw error;
  }
}
