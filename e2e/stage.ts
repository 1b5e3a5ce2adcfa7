import type { AnyCall, InputOf, OutputOf } from '#platform/contract/call.ts';
import { requestOf } from '#platform/contract/client.ts';
import { freePort } from '#platform/data/redis/testing.ts';
import { login } from '#product/accounts/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { saveConsent } from '#product/consent/contract.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { LIVE_CAST } from '#product/testkit/demo/cast.ts';
import { DEMO_PASSWORD } from '#product/testkit/demo/demo.ts';
import { CHROMIUM_FLAGS, requireChromium } from '#tools/machine/chromium.mjs';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, rmSync, statfsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { endProgram, seededDirectory, startProgram } from './seeded.ts';

/** A page answers within a second; on a busy machine the answer must still come. */
const PATIENCE_MS = 60_000;
/** Enough for moving video, and no more work than needed; below 15 the site would show advice. */
const CAMERA_FPS = 20;
const PHONE = { width: 390, height: 844 } as const;
const DESKTOP = { width: 1440, height: 900 } as const;

/** A person at a site: a fresh browser profile, past the entry gate, perhaps logged in. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the console and the page so far. */
  readonly complaints: readonly string[];
}

/** Refused reconnections of a player or a camera, after its machine stood still for seconds. */
const OF_RECONNECTING = /status of 4\d\d .*\/(?:whip|whep|video\/playback)/u;

/** Complaints without those of a reconnected video connection: for journeys about other things. */
export const besideVideo = (complaints: readonly string[]): readonly string[] =>
  complaints.filter((text) => !OF_RECONNECTING.test(text));

export interface VisitOptions {
  readonly as?: string;
  /** Password of somebody who does not belong to the demo. */
  readonly password?: string;
  readonly phone?: boolean;
  /** Stops before the gate. */
  readonly gated?: boolean;
  /** Has not answered the question of consent. */
  readonly undecided?: boolean;
  readonly path?: string;
  /** Whether the person allows motion; the others prefer reduced motion. */
  readonly moving?: boolean;
  /** Whether the app worker is registered, as in any real browser. */
  readonly appWorker?: boolean;
  /** A browser other than the stage's own. */
  readonly browser?: Browser;
}

/** The choices of somebody who accepts everything. */
const EVERYTHING = { preferences: true, statistics: true, marketing: true };

/** Runs in each page: a journey cannot hold back requests that a worker answers. */
function withoutAppWorker(): void {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  const register = workers?.register.bind(workers);
  if (!workers || !register) return;
  workers.register = (file, options) => (String(file).startsWith('/app-worker.js')
    ? new Promise<never>(() => undefined)
    : register(file, options));
}

/** A browser and the site it visits. */
export class Stage {
  readonly origin: string;
  readonly rtmpPort: number;
  readonly #browser: Browser;
  readonly #end: () => Promise<void>;

  constructor(parts: {
    readonly origin: string;
    readonly rtmpPort: number;
    readonly browser: Browser;
    /** Ends the site and deletes its data. */
    readonly end: () => Promise<void>;
  }) {
    this.origin = parts.origin;
    this.rtmpPort = parts.rtmpPort;
    this.#browser = parts.browser;
    this.#end = parts.end;
  }

  async visit(
    {
      as,
      password = DEMO_PASSWORD,
      phone = false,
      gated = false,
      undecided = false,
      path = '/',
      moving = false,
      appWorker = false,
      browser = this.#browser,
    }: VisitOptions = {},
  ): Promise<Visit> {
    const context = await browser.newContext({
      viewport: phone ? PHONE : DESKTOP,
      hasTouch: phone,
      isMobile: phone,
      baseURL: this.origin,
      permissions: ['camera', 'microphone'],
      locale: 'en-GB',
      reducedMotion: moving ? 'no-preference' : 'reduce',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    if (!appWorker) await context.addInitScript(withoutAppWorker);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    if (!gated) await this.#letIn(context, as, password, undecided);
    await page.goto(path);
    if (!gated && path === '/') await page.getByRole('heading', { name: 'Live now', level: 1 }).waitFor();
    return { page, context, complaints };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#end();
  }

  /**
   * Passes the gate and the question of consent and logs in as a person of the demo, in a session of its own.
   * It uses the calls of their pages, which have journeys of their own.
   */
  async #letIn(
    context: BrowserContext,
    as: string | undefined,
    password: string,
    undecided: boolean,
  ): Promise<void> {
    const { call, csrf } = await callsOf(context, this.origin);
    await call(declareAge, { of_age: true }, csrf);
    if (!undecided) await call(saveConsent, { ...EVERYTHING, chosen_in: 'banner' }, csrf);
    if (as !== undefined) await call(login, { login: as, password }, csrf);
  }
}

interface Calls {
  readonly call: <C extends AnyCall>(made: C, input: InputOf<C>, csrf?: string) => Promise<OutputOf<C>>;
  /** Of the current session: a login replaces it. */
  readonly csrf: string;
}

/** Calls in the session of a browser. */
export async function callsOf(context: BrowserContext, origin: string): Promise<Calls> {
  const call: Calls['call'] = async (made, input, csrf) => {
    const { path, body } = requestOf(made, input as Record<string, unknown>);
    const response = await context.request.fetch(origin + path, {
      method: made.method,
      headers: {
        origin,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }),
      },
      ...(body === null ? {} : { data: Buffer.from(body) }),
    });
    if (!response.ok()) throw new Error(`${made.name} answered ${response.status()}`);
    return await response.json() as OutputOf<typeof made>;
  };
  const { csrf } = await call(getSiteConfig, {});
  return { call, csrf };
}

/** The program as `npm start` runs it, with a data directory of its own, and a browser that visits it. */
export class ProgramStage extends Stage {
  readonly #child: ChildProcess;
  readonly #output: readonly string[];

  constructor(
    parts: ConstructorParameters<typeof Stage>[0] & {
      readonly child: ChildProcess;
      readonly output: readonly string[];
    },
  ) {
    super(parts);
    this.#child = parts.child;
    this.#output = parts.output;
  }

  /** What the program printed. */
  get output(): string {
    return this.#output.join('');
  }

  /** Kills the process that serves the site (not its supervisor), as a crash or the kernel would. */
  killSite(): void {
    process.kill(this.#sitePid, 'SIGKILL');
  }

  /** Kills the first child of the site whose command line contains this text, as a crash would. */
  killChild(text: string): void {
    const pid = childrenOf(this.#sitePid).find((number) =>
      readFileSync(`/proc/${number}/cmdline`, 'utf8').includes(text)
    );
    if (pid === undefined) throw new Error(`the site has no child ${text}`);
    process.kill(pid, 'SIGKILL');
  }

  get #sitePid(): number {
    const [pid] = childrenOf(this.#child.pid ?? 0);
    if (pid === undefined) throw new Error('the supervisor has no child');
    return pid;
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number).filter((item) => item > 1);

/** A browser whose processes can be stopped: then it answers nothing, as behind a cut network. */
export async function openStoppableBrowser(): Promise<{
  readonly browser: Browser;
  readonly signal: (what: 'SIGSTOP' | 'SIGCONT') => void;
}> {
  const before = new Set(childrenOf(process.pid));
  const browser = await openBrowser();
  const root = childrenOf(process.pid).find((pid) =>
    !before.has(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--headless')
  );
  if (root === undefined) throw new Error('the browser is no child of this process');
  const family = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(family)];
  return {
    browser,
    signal: (what) => {
      for (const pid of family(root)) process.kill(pid, what);
    },
  };
}

/** Whether an element is entirely within the window and nothing covers its middle. */
export const isInSight = (shown: Locator): Promise<boolean> =>
  shown.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
      && above !== null && element.contains(above);
  });

/** Fills in and submits a sign-up form, of the page or of the modal. */
export async function signUp(form: Locator, username: string): Promise<void> {
  await form.getByLabel('Username').fill(username);
  await form.getByLabel('Email').fill(`${username}@people.example`);
  await form.getByLabel('Password', { exact: true }).fill('harbour-lights-9');
  await form.getByLabel('Day', { exact: true }).selectOption('14');
  await form.getByLabel('Month', { exact: true }).selectOption({ index: 3 });
  await form.getByLabel('Year', { exact: true }).selectOption('1991');
  await form.getByRole('checkbox').check();
  await form.getByRole('button', { name: 'Sign up' }).click();
}

/** Performers of the demo who are live in journeys that are not about listings: each costs a stream. */
const FEW_LIVE = 3;
/** All performers of the demo who have a loop. */
export const ALL_LIVE = Object.keys(LIVE_CAST).length;

/**
 * Builds when sources changed, starts the program with the people of the demo, and waits until it prints its
 * address.
 */
export async function openStage(
  { flags = [], live = FEW_LIVE }: { flags?: readonly string[]; live?: number } = {},
): Promise<ProgramStage> {
  const [port, rtmpPort] = [await freePort(), await freePort()];
  const dataDir = await seededDirectory({ port, rtmpPort });
  const output: string[] = [];
  const [child, browser] = await Promise.all([
    startProgram({ dataDir, port, rtmpPort, flags, output, live }),
    openBrowser(),
  ]);
  const end = async (): Promise<void> => {
    await endProgram(child);
    rmSync(dataDir, { recursive: true, force: true });
  };
  return new ProgramStage({ origin: `http://localhost:${port}`, rtmpPort, child, browser, output, end });
}

/** Shared memory that the pages of one browser need; containers often have 64 MB. */
const SHARED_MEMORY_BYTES = 2 ** 30;

/** Playwright's own flag moves shared memory into files: slower, needed only where there is little of it. */
function withoutFlags(): string[] {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= SHARED_MEMORY_BYTES ? ['--disable-dev-shm-usage'] : [];
  } catch {
    return [];
  }
}

/** Chromium with a fake camera and microphone. @param flags besides the usual ones */
export function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: requireChromium(),
    ignoreDefaultArgs: withoutFlags(),
    args: [
      ...CHROMIUM_FLAGS,
      `--use-fake-device-for-media-stream=fps=${CAMERA_FPS}`,
      '--use-fake-ui-for-media-stream',
      '--autoplay-policy=no-user-gesture-required',
      ...flags,
    ],
  });
}

/** The current state of a video: frames presented so far, and a fingerprint of the frame. */
const pictureOf = (shown: Locator): Promise<{ frames: number; print: string }> =>
  shown.evaluate((element) => {
    const video = element as HTMLVideoElement;
    const canvas = document.createElement('canvas');
    canvas.width = 32;
    canvas.height = 18;
    const drawing = canvas.getContext('2d');
    drawing?.drawImage(video, 0, 0, canvas.width, canvas.height);
    const pixels = drawing?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    return { frames: video.getVideoPlaybackQuality().totalVideoFrames, print: [...pixels].join() };
  });

/** Waits until frames advance and the image has changed, which is how a person recognises live video. */
export async function expectMoving(page: Page, shown = page.locator('video').first()): Promise<void> {
  const before = await pictureOf(shown);
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const now = await pictureOf(shown);
    if (now.frames >= before.frames + 10 && now.print !== before.print && now.print.match(/[1-9]/u)) return;
    if (Date.now() > deadline) {
      throw new Error(`the picture stands still: ${before.frames} then ${now.frames} frames`);
    }
    await page.waitForTimeout(250);
  }
}

/** Goes live from the go-live page with the (fake) camera. */
export async function goLive(page: Page): Promise<void> {
  await page.goto('/go-live');
  await page.getByRole('button', { name: 'Turn on camera and microphone' }).click();
  const start = page.getByRole('button', { name: 'Go live now' });
  await start.click();
  await page.getByRole('heading', { name: 'Performer console' }).waitFor();
  await page.getByText('Live', { exact: true }).first().waitFor();
}
