import { chromium } from 'playwright-core';
import { QUIET } from './open-chromium.mjs';

/** Busy machines take their time. */
const TIMEOUT = 60_000;

/**
 * Routes that the web UI asks for and an agent server of the protocol does not have: the automation service is a program of its
 * own, the other routes came later. The web UI works without them.
 */
const ABSENT = [/^\/api\/automation\//, /^\/api\/canvas-extensions\//, /^\/api\/llm\/balance$/];
/** Matches messages of a browser about answers and sockets, which are recorded here anyway. */
const RECORDED = /^(?:Failed to load resource|WebSocket connection to)/;

/**
 * Opens a page in a headless Chromium. Requests that leave this machine are stopped. `faults.found` has every answer with an
 * error status and every error of the page; `faults.absent` those for routes that no agent server has.
 *
 * @param {{ path: string, url: string }} options the browser, and where the web UI is
 */
export async function openBrowser({ path, url }) {
  const browser = await chromium.launch({ executablePath: path, args: QUIET });
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  context.setDefaultTimeout(TIMEOUT);
  await context.route(
    (requested) => requested.origin !== url,
    (route) => route.abort(),
  );
  // The tour of a first visit is another matter.
  await context.addInitScript(() => localStorage.setItem('openhands-onboarded', '1'));
  const page = await context.newPage();
  return { page, ...watch(page, url), close: () => browser.close() };
}

function watch(page, url) {
  const found = [];
  const absent = new Set();
  const outage = watchOutage(page);
  page.on('response', (response) => {
    const { origin, pathname } = new URL(response.url());
    const [status, request] = [response.status(), response.request()];
    if (status < 400 || origin !== url || (status >= 500 && outage.hit(request))) return;
    const named = `${request.method()} ${pathname}`;
    if (status === 404 && ABSENT.some((route) => route.test(pathname))) absent.add(named);
    else found.push(`${status} ${named}`);
  });
  const say = (where, text) => {
    if (!outage.explains(text)) found.push(`${where}: ${text}`);
  };
  page.on('console', (message) => {
    if (message.type() === 'error' && !RECORDED.test(message.text())) say('console', message.text());
  });
  page.on('pageerror', ({ message }) => say('page', message));
  return { faults: { found, absent }, expectOutage: (work) => outage.expect(work) };
}

/** Tracks the requests that stayed without an answer while the server was away. */
function watchOutage(page) {
  const open = new Set();
  const hit = new WeakSet();
  let [now, once] = [false, false];
  page.on('request', (request) => {
    open.add(request);
    if (now) hit.add(request);
  });
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => open.delete(request));
  return {
    hit: (request) => hit.has(request),
    explains: (text) => once && /network|fetch|status code 5/i.test(text),
    /** While `work` is done, the server is not there. */
    async expect(work) {
      [now, once] = [true, true];
      for (const request of open) hit.add(request);
      await work();
      now = false;
    },
  };
}
