/** Milliseconds that a server may take to say so. */
const TIMEOUT = 1500;

/** Resolves with true if the server at this URL takes requests. Never rejects. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const { request } = await import('undici');
    const { statusCode, body } = await request(`${url}/ready`, { signal: AbortSignal.timeout(TIMEOUT) });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
