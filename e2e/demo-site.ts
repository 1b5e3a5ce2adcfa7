import type { Tx } from '#platform/data/data.ts';
import { freePort } from '#platform/data/redis/testing.ts';
import { saveShowSettings } from '#product/shows/contract/settings.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { seedDemo } from '#product/testkit/demo/demo.ts';
import type { Services } from '#product/wiring.ts';
import { readConfig } from '#programs/config/config.ts';
import { openSite } from '#programs/parts/open-site.ts';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { seededDirectory } from './seeded.ts';
import { callsOf, goLive, openBrowser, Stage, type Visit } from './stage.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A stage whose site runs in this process, so that its services can do what no call can do yet. */
export class DemoSite extends Stage {
  readonly services: Services;
  readonly #tx: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

  constructor(
    parts: ConstructorParameters<typeof Stage>[0] & {
      readonly services: Services;
      readonly tx: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
    },
  ) {
    super(parts);
    this.services = parts.services;
    this.#tx = parts.tx;
  }

  /** One unit of work of the default operator. */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#tx(work);
  }

  /** The id of a person of the demo. */
  async idOf(username: string): Promise<number> {
    const person = await this.tx((tx) => this.services.accounts.findByUsername(tx, username));
    if (!person) throw new Error(`nobody is ${username}`);
    return person.id;
  }

  /** The demo's performer, live, with private shows, spying and viewers' cameras on offer. */
  async offersShows(): Promise<Visit> {
    const performer = await this.visit({ as: 'demo_performer' });
    const { call, csrf } = await callsOf(performer.context, this.origin);
    await call(saveShowSettings, {
      private: { isEnabled: true, pricePerMinuteInToken: 60 },
      spy: { isEnabled: true, pricePerMinuteInToken: 12, startupTipInToken: 0 },
      sharecam: { isAllowedInPrivate: true },
    }, csrf);
    await goLive(performer.page);
    return performer;
  }
}

/** The site with its built pages, real media and the people of the demo, none of them live. */
export async function openDemoSite(settings: Readonly<Record<string, string>> = {}): Promise<DemoSite> {
  execFileSync(process.execPath, ['tools/build.mjs'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  const [port, rtmpPort] = [await freePort(), await freePort()];
  const dataDir = await seededDirectory({ port, rtmpPort });
  const environment = { PORT: String(port), RTMP_PORT: String(rtmpPort), DATA_DIR: dataDir, ...settings };
  const config = readConfig(environment, []);
  const log = pino({ level: 'error' });
  const { site, data, blobs } = await openSite({ root: ROOT, config, log, fromSource: false });
  const { services } = site;
  await seedDemo({ data, blobs, services });
  return new DemoSite({
    origin: `http://localhost:${port}`,
    rtmpPort,
    browser: await openBrowser(),
    services,
    tx: (work) => data.tx(DEFAULT_SCOPE, work),
    end: async () => {
      await site.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  });
}
