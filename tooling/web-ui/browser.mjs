import { chromium } from 'playwright-core';
import { QUIET } from './open-chromium.mjs';

/** Busy machines take their time. */
const TIMEOUT = 60_000;

/** Routes that the web UI asks for and no agent server has: others are those of the automation service. The web UI works without them. */
const ABSENT = [/^\/api\/automation\//, /^\/api\/llm\/balance$/];
/** Matches messages of a browser about answers and sockets, which are recorded here anyway. */
const RECORDED = /^(?:Failed to load resource|WebSocket connection to)/;

/**
 * Opens a page in a headless Chromium. Requests that leave this machine are stopped. `faults.found` has every answer with an
 * error status, every error of the page and every red notice on it; `faults.absent` those for routes that no agent server has, and
 * `faults.unanswered` requests to the web UI's own address that got no answer.
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
  let heard = (_text) => {};
  await context.exposeBinding('tellOfNotice', (_, text) => heard(text));
  await context.addInitScript(tellOfRedNotices);
  const page = await context.newPage();
  const watched = watch(page, url);
  heard = watched.heard;
  return { page, faults: watched.faults, expectOutage: watched.expectOutage, close: () => browser.close() };
}

/** Runs in the page: tells of each red notice, which has the icon of an error, once. */
function tellOfRedNotices() {
  const told = new WeakSet();
  new MutationObserver(() => {
    for (const icon of document.querySelectorAll('[data-rht-toaster] .lucide-circle-x, .lucide-circle-x[style]')) {
      const notice = icon.parentElement;
      if (notice === null || told.has(notice) || notice.textContent === '') continue;
      told.add(notice);
      window.tellOfNotice(notice.textContent);
    }
  }).observe(document, { childList: true, subtree: true });
}

function watch(page, url) {
  const found = [];
  const absent = new Set();
  const unanswered = new Set();
  const outage = watchOutage(page);
  const heard = (text) => {
    if (!outage.isNow()) found.push(`red notice: ${text}`);
  };
  page.on('requestfailed', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === url) unanswered.add(`${request.method()} ${pathname}: ${request.failure()?.errorText}`);
  });
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
  return { heard, faults: { found, absent, unanswered }, expectOutage: (work) => outage.expect(work) };
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
    isNow: () => now,
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
