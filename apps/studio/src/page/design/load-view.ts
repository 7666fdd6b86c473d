/** Attempts to load the code of a view from a server that does not answer, and milliseconds between them. */
const MOST = 120;
const AGAIN = 1_000;

/** The page around a view that is loaded. */
export interface LoadingPage {
  /** Resolves with true if the server of the page answers. */
  readonly answers: () => Promise<boolean>;
  /** Resolves after a while, when the code can be asked for again. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** The code of a view is not at the server any more. */
class PageOutdated extends Error {
  override readonly name = 'PageOutdated';

  constructor(cause: unknown) {
    super(
      'Expected the code of this view, found none at the server, which may have been upgraded. Load the page again.',
      { cause },
    );
  }
}

/**
 * Resolves with the code of a view. A server that does not answer is asked again for two minutes. Rejects {@link PageOutdated} if it answers, and does not
 * have the code, because an upgrade has given its files other names.
 */
export async function loadView<Loaded>(load: () => Promise<Loaded>, { answers, wait }: LoadingPage): Promise<Loaded> {
  // the server may have come back right after an attempt, so it must have answered before one
  let isThere = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await load();
    } catch (error) {
      const wasThere = isThere;
      isThere = await answers();
      if (wasThere && isThere) throw new PageOutdated(error);
      if (attempt >= MOST) throw error;
      await wait(AGAIN);
    }
  }
}
