import type { Blobs } from '../platform/data/blobs.ts';
import type { OpenedData } from '../platform/data/open.ts';
import type { Assembly } from '../product/assembly.ts';
import { DEMO_LOGINS, seedDemo } from '../product/testkit/demo.ts';
import type { DemoLogin } from './banner.ts';

export interface Demo {
  readonly logins: readonly DemoLogin[];
  readonly stop: () => Promise<void>;
}

/** Fills an empty site with the demo's people. */
export async function startDemo(
  { data, blobs, site }: { data: OpenedData; blobs: Blobs; site: Assembly },
): Promise<Demo> {
  await seedDemo({ data, blobs, services: site.services });
  return { logins: DEMO_LOGINS, stop: async () => {} };
}
