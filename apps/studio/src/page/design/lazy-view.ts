import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** Milliseconds between two attempts to load a view, and for all of them. */
const AGAIN = 1_000;
const MOST = 120_000;

/**
 * Returns a view whose code is loaded when it is first shown. A server that does not answer is asked again for two minutes; after that the
 * view fails, because its code may be gone for good.
 */
export function lazyView<Properties>(
  load: () => Promise<ComponentType<Properties>>,
): LazyExoticComponent<ComponentType<Properties>> {
  return lazy(async () => ({ default: await loaded(load) }));
}

async function loaded<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  for (const until = Date.now() + MOST; ;) {
    try {
      return await load();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
      // the loader asks for a style once, whether it came or not
      for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
        if (link.sheet === null) link.replaceWith(link.cloneNode());
    }
  }
}
