import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { DEMO_PASSWORD } from '../product/testkit/demo.ts';
import { CHROMIUM_FLAGS, requireChromium } from '../tools/chromium.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** A start with a build before it, on two busy cores. */
const START_MS = 240_000;
const PHONE = { width: 390, height: 844 } as const;
const DESKTOP = { width: 1440, height: 900 } as const;

/** Whoever looks: a fresh browser profile, past the entry gate, perhaps logged in. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the console and the page so far. */
  readonly complaints: readonly string[];
}

export interface VisitOptions {
  readonly as?: string;
  readonly phone?: boolean;
  /** Stops before the gate. */
  readonly gated?: boolean;
  readonly path?: string;
}

/** The program as `npm start` runs it, on a data directory of its own, and a browser in front of it. */
export class Stage {
  readonly origin: string;
  readonly #child: ChildProcess;
  readonly #browser: Browser;
  readonly #dataDir: string;
  readonly #output: string[];

  constructor(parts: {
    origin: string; child: ChildProcess; browser: Browser; dataDir: string; output: string[];
  }) {
    this.origin = parts.origin;
    this.#child = parts.child;
    this.#browser = parts.browser;
    this.#dataDir = parts.dataDir;
    this.#output = parts.output;
  }

  /** What the program printed. */
  get output(): string {
    return this.#output.join('');
  }

  async visit({ as, phone = false, gated = false, path = '/' }: VisitOptions = {}): Promise<Visit> {
    const context = await this.#browser.newContext({
      viewport: phone ? PHONE : DESKTOP, hasTouch: phone, isMobile: phone, baseURL: this.origin,
      permissions: ['camera', 'microphone'], reducedMotion: 'reduce', locale: 'en-GB',
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(gated ? path : '/');
    if (gated) return { page, context, complaints };
    await page.getByRole('button', { name: 'I am 18 or older' }).click();
    await page.getByRole('heading', { name: 'Live now' }).waitFor();
    if (as !== undefined) await logIn(page, as);
    if (path !== '/') await page.goto(path);
    return { page, context, complaints };
  }

  /** Kills the process that serves the site, not its supervisor, as a crash or the kernel would. */
  killSite(): void {
    const pid = Number(childrenOf(this.#child.pid ?? 0)[0]);
    if (!Number.isInteger(pid) || pid <= 1) throw new Error('the supervisor has no child');
    process.kill(pid, 'SIGKILL');
  }

  async close(): Promise<void> {
    await this.#browser.close();
    const ended = new Promise((done) => this.#child.once('exit', done));
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');

/** Logs in on the log-in page, with the demo's password unless another is given. */
async function logIn(page: Page, username: string, password: string = DEMO_PASSWORD): Promise<void> {
  await page.goto('/login');
  const form = page.getByRole('main');
  await form.getByLabel('Username or e-mail').fill(username);
  await form.getByLabel('Password', { exact: true }).fill(password);
  await form.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('button', { name: /^Account of/u }).waitFor();
}

/** Fills in a sign-up form, of the page or of the modal, and sends it. */
export async function signUp(form: Locator, username: string): Promise<void> {
  await form.getByLabel('Username').fill(username);
  await form.getByLabel('E-mail').fill(`${username}@people.example`);
  await form.getByLabel('Password', { exact: true }).fill('harbour-lights-9');
  await form.getByLabel('Day', { exact: true }).selectOption('14');
  await form.getByLabel('Month', { exact: true }).selectOption({ index: 3 });
  await form.getByLabel('Year', { exact: true }).selectOption('1991');
  await form.getByRole('checkbox').check();
  await form.getByRole('button', { name: 'Sign up' }).click();
}

/** Builds when sources changed, starts the program, and waits until it says where it is. */
export async function openStage({ flags = [] }: { flags?: readonly string[] } = {}): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'candela-e2e-'));
  const port = await freePort();
  const child = spawn(process.execPath, ['tools/start.mjs', ...flags], {
    cwd: ROOT, env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const up = new Promise<void>((done, fail) => {
    const hear = (text: Buffer): void => {
      output.push(text.toString());
      if (text.includes('Candela is at')) done();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => fail(new Error(`the program ended with ${code}:\n${output.join('')}`)));
    const tooLate = (): void => fail(new Error(`no start within ${START_MS} ms:\n${output.join('')}`));
    setTimeout(tooLate, START_MS).unref();
  });
  const browser = await chromium.launch({
    executablePath: requireChromium(),
    args: [
      ...CHROMIUM_FLAGS, '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream',
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
  await up;
  return new Stage({ origin: `http://localhost:${port}`, child, browser, dataDir, output });
}

/** A port that nobody uses now, for TCP and UDP alike. */
function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') done(address.port);
        else fail(new Error('no port'));
      });
    });
  });
}

/** What a video shows now: frames presented so far, and a fingerprint of the picture. */
const pictureOf = (page: Page): Promise<{ frames: number; print: string }> =>
  page.locator('video').first().evaluate((element) => {
    const video = element as HTMLVideoElement;
    const canvas = document.createElement('canvas');
    canvas.width = 32;
    canvas.height = 18;
    const drawing = canvas.getContext('2d');
    drawing?.drawImage(video, 0, 0, canvas.width, canvas.height);
    const pixels = drawing?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    return { frames: video.getVideoPlaybackQuality().totalVideoFrames, print: [...pixels].join() };
  });

/** Waits until frames go on and the picture has changed, as eyes would tell a live picture. */
export async function expectMoving(page: Page): Promise<void> {
  const before = await pictureOf(page);
  const deadline = Date.now() + 30_000;
  for (;;) {
    const now = await pictureOf(page);
    if (now.frames >= before.frames + 10 && now.print !== before.print && now.print.match(/[1-9]/u)) return;
    if (Date.now() > deadline) {
      throw new Error(`the picture stands still: ${before.frames} then ${now.frames} frames`);
    }
    await page.waitForTimeout(250);
  }
}

/** From the go-live page to being live with the (fake) camera. */
export async function goLive(page: Page): Promise<void> {
  await page.goto('/go-live');
  await page.getByRole('button', { name: 'Turn on camera and microphone' }).click();
  const start = page.getByRole('button', { name: 'Go live now' });
  await start.click();
  await page.getByRole('heading', { name: 'Control room' }).waitFor();
  await page.getByText('Live', { exact: true }).first().waitFor();
}
