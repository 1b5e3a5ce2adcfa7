import { join } from 'node:path';
import type { Blobs } from '../../platform/data/blobs.ts';
import type { OpenedData } from '../../platform/data/open.ts';
import { runLoops } from '../../platform/streaming/loop-publisher/loop-publisher.ts';
import type { Assembly } from '../../product/assembly.ts';
import { DEMO_LOGINS, seedDemo } from '../../product/testkit/demo/demo.ts';
import { DEFAULT_SCOPE } from '../../product/site/rules.ts';
import { startAudience } from '../../product/testkit/demo/audience.ts';
import { startExtras } from '../../product/testkit/demo/extras.ts';
import type { DemoLogin } from './banner.ts';

export interface Demo {
  readonly logins: readonly DemoLogin[];
  readonly stop: () => Promise<void>;
}

export interface DemoDependencies {
  readonly root: string;
  readonly data: OpenedData;
  readonly blobs: Blobs;
  readonly site: Assembly;
  /** Where this program listens, as its own people reach it. */
  readonly port: number;
  readonly version: string;
  readonly onError: (error: unknown) => void;
}

/**
 * Brings the demo to life: its people, on an empty site; performers who are really live, through ordinary
 * WHIP from recorded loops in a process of their own; an audience that is spread over their rooms as on an
 * evening; and a few viewers who chat and tip at a human pace.
 */
export async function startDemo({
  root,
  data,
  blobs,
  site,
  port,
  version,
  onError,
}: DemoDependencies): Promise<Demo> {
  const { live, fans } = await seedDemo({ data, blobs, services: site.services });
  const folder = join(root, 'product/testkit/loops');
  const loops = runLoops(
    live.map(({ streamKey, loop }) => {
      const file = join(folder, loop);
      return {
        whipUrl: `http://127.0.0.1:${port}/whip`,
        key: streamKey,
        video: `${file}.h264`,
        audio: `${file}.opus`,
        bindAddress: '127.0.0.1',
      };
    }),
  );
  const sendExtrasHome = startExtras({
    host: site.http,
    origin: `http://localhost:${port}`,
    clock: data.clock,
    version,
    random: Math.random,
    onError,
    rooms: live.map(({ username }) => username),
  });
  const sendAudienceHome = startAudience({
    attendance: data.attendance, clock: data.clock, random: Math.random, operatorId: DEFAULT_SCOPE.operatorId,
    rooms: live.map(({ id }) => id), members: fans,
  });
  return {
    logins: DEMO_LOGINS,
    stop: async () => {
      sendAudienceHome();
      sendExtrasHome();
      await loops.close();
    },
  };
}
