/**
 * How smooth a room stays in Chromium at 20 messages a second: frames a second, late frames, long tasks and
 * lines on the page, in a wide window and on a phone, compared with the same page while nobody speaks. The
 * messages are injected into the page's own socket, so only the page is measured.
 */
import { openStage, type Stage } from '#e2e/stage.ts';
import type { CDPSession, Page, WebSocketRoute } from 'playwright-core';

const smoke = process.argv.includes('--smoke');
const SECONDS = smoke ? 2 : 20;
const PER_SECOND = 20;
/** Fills the list before measuring, so that each new line removes an old one. */
const FILL = 200;
const ROOM = 'luna_vale';
/** A line that is waited for this long did not come: the room was joined again, with its own history. */
const FILL_MS = 15_000;
const FILL_TRIES = 4;
/** Lets images, texts and the first video frames load. */
const SETTLE_MS = smoke ? 1_000 : 6_000;
/** A later frame counts as missed, at 60 a second. */
const LATE_MS = 25;

interface Smoothness {
  /** Processor time of the page's main thread per second, hardly affected by other load. */
  readonly cpuMs: number;
  readonly framesPerSecond: number;
  readonly late: number;
  readonly longTasks: number;
  readonly longestMs: number;
  readonly lines: number;
}

/** Frames, long tasks and processor time of the page for a while. */
async function measure(page: Page, cdp: CDPSession): Promise<Smoothness> {
  const before = await taskSeconds(cdp);
  const counted = await count(page);
  return { ...counted, cpuMs: ((await taskSeconds(cdp)) - before) * 1_000 / SECONDS };
}

/** Processor time of the main thread so far, in seconds. */
async function taskSeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

const count = (page: Page): Promise<Omit<Smoothness, 'cpuMs'>> =>
  page.evaluate(async ([seconds, lateMs]) => {
    const tasks: number[] = [];
    const watcher = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    });
    watcher.observe({ type: 'longtask' });
    const stamps: number[] = [];
    const started = performance.now();
    while (performance.now() - started < seconds * 1_000) {
      stamps.push(
        await new Promise<number>((drawn) => {
          requestAnimationFrame(drawn);
        }),
      );
    }
    watcher.disconnect();
    const gaps = stamps.slice(1).map((at, index) => at - (stamps[index] ?? at));
    const took = gaps.reduce((sum, gap) => sum + gap, 0);
    return {
      framesPerSecond: (gaps.length / took) * 1_000,
      late: gaps.filter((gap) => gap > lateMs).length,
      longTasks: tasks.length,
      longestMs: Math.max(0, ...tasks),
      lines: document.querySelectorAll('[data-message]').length,
    };
  }, [SECONDS, LATE_MS] as const);

const WORDS = 'what a lovely evening this is and the lamp looks new to me hello everybody'.split(' ');

/** A message as the gateway sends it; every tenth is a tip, every seventh a mention. */
function messageFrame(id: number): string {
  const username = `guest_of_bench_${id % 37}`;
  const isTip = id % 10 === 0;
  const words = WORDS.slice(id % 5, 4 + (id % 11)).join(' ');
  return JSON.stringify(['v3.chat.message', {
    id,
    username,
    display_name: username,
    gender: null,
    message: id % 7 === 0 ? `@demo_viewer ${words}` : words,
    is_tip: isTip,
    value: isTip ? id % 1_200 : 0,
    recent_tips: id % 50,
    subject_username: null,
    is_invisible_mode: false,
    is_moderation_message: false,
    type: isTip ? 'tip' : 'message',
    action: null,
    error: false,
    errorMessage: null,
    background: isTip ? 'pink-10' : null,
    fontStyle: null,
    color: !isTip && id % 2 === 0 ? 'blue' : null,
    weight: null,
    is_model: id % 29 === 0,
    is_moderator: id % 23 === 0,
    is_guest: false,
    is_vip: id % 13 === 0,
    is_super_vip: false,
    has_tokens: id % 2 === 0,
    email_confirmed: null,
    has_cc: null,
    has_purchase: null,
    recent_purchases: null,
    tokens: null,
    recentTips: 0,
    socket_id: null,
    user_language: 'en',
    fanclub_level: null,
    reply: id % 17 === 0 ? { id: id - 5, display_name: username, excerpt: words } : null,
    at: new Date().toISOString(),
  }]);
}

interface Row extends Smoothness {
  readonly what: string;
}

/** Fills the chat, and again when the page joined its room again meanwhile. */
async function fill(page: Page, say: () => void): Promise<void> {
  for (let tries = FILL_TRIES;; tries -= 1) {
    for (let at = 0; at < FILL; at += 1) say();
    const last = page.locator('[data-message]').nth(FILL - 1).waitFor({ timeout: FILL_MS });
    if (tries === 1) return last;
    if (await last.then(() => true, () => false)) return;
  }
}

async function measureAt(stage: Stage, what: string, phone: boolean): Promise<Row[]> {
  const { page, context } = await stage.visit({ as: 'demo_viewer', phone });
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws\//u, (socket) => {
    socket.connectToServer();
    if (!socket.url().includes('/ws/lobby')) sockets.push(socket);
  });
  await page.goto(`/${ROOM}`);
  // Whoever has joined may write; the history, which replaces what came before it, was sent then.
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.and(page.getByPlaceholder('Say something nice')).waitFor();
  await page.waitForTimeout(SETTLE_MS);
  let id = 1_000_000;
  const say = (): void => {
    id += 1;
    sockets.at(-1)?.send(messageFrame(id));
  };
  await fill(page, say);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const idle = await measure(page, cdp);
  const timer = setInterval(say, 1_000 / PER_SECOND);
  const busy = await measure(page, cdp);
  clearInterval(timer);
  await context.close();
  return [{ what: `${what}, nobody speaks (baseline)`, ...idle }, { what: `${what}, busy`, ...busy }];
}

const stage = await openStage();
try {
  const rows = [
    ...(await measureAt(stage, '1440 px', false)),
    ...(await measureAt(stage, '390 px', true)),
  ];
  console.log(`A room at ${PER_SECOND} messages a second for ${SECONDS} s, ${FILL} lines; aim: 60 frames\n`);
  console.table(rows.map(({ what, framesPerSecond, cpuMs, late, longTasks, longestMs, lines }, at) => {
    const baseline = rows[at - (at % 2)]?.framesPerSecond ?? framesPerSecond;
    return {
      '': what,
      'frames a second': framesPerSecond.toFixed(1),
      'of the baseline': (framesPerSecond / baseline).toFixed(3),
      [`later than ${LATE_MS} ms`]: late,
      'long tasks': longTasks,
      'longest ms': Math.round(longestMs),
      'CPU ms/s': Math.round(cpuMs),
      lines,
    };
  }));
} finally {
  await stage.close();
}
