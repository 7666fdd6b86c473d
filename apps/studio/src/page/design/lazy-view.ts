import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import { serverRequests } from '../data/requests.ts';
import { loadView } from './load-view.ts';

/** Returns a view whose code is loaded when it is first shown, as `loadView` does. It fails where that rejects. */
export function lazyView<Properties>(
  load: () => Promise<ComponentType<Properties>>,
): LazyExoticComponent<ComponentType<Properties>> {
  return lazy(async () => ({ default: await loadView(load, { answers, wait }) }));
}

async function answers(): Promise<boolean> {
  const [, path] = serverRequests.getAlive;
  const answer = await fetch(path, { cache: 'no-store' }).catch(() => undefined);
  return answer?.ok === true;
}

async function wait(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  // the loader asks for a style once, whether it came or not
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (link.sheet === null) link.replaceWith(link.cloneNode());
}
