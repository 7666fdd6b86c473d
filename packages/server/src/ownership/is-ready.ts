import { timers, type Platform } from '@conv/core/platform';

/** Milliseconds that the server may take to answer. */
const TIMEOUT = 1500;

/** Resolves with true if the server at this URL takes requests. Never rejects. */
export async function isReady(url: string, platform: Platform): Promise<boolean> {
  using limit = timers.deadline(platform, TIMEOUT);
  try {
    const [{ request }, { serverRoutes }] = await Promise.all([import('undici'), import('@conv/openhands/rest')]);
    const { statusCode, body } = await request(url + serverRoutes.getReady.path, { signal: limit });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
