import type { Blobs } from '#platform/data/blobs.ts';
import type { OpenedData } from '#platform/data/open.ts';
import { runLoops } from '#platform/streaming/loop-publisher/loop-publisher.ts';
import type { Assembly } from '#product/assembly.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { startAudience } from '#product/testkit/demo/audience.ts';
import { DEMO_LOGINS, seedDemo } from '#product/testkit/demo/demo.ts';
import { entersDemo } from '#product/testkit/demo/entering.ts';
import { startExtras } from '#product/testkit/demo/extras.ts';
import { startHosts } from '#product/testkit/demo/hosts.ts';
import { join } from 'node:path';
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
  /** Where this program listens, as reached from this machine. */
  readonly port: number;
  readonly version: string;
  /** How many performers are live: each costs a stream and its thumbnails. */
  readonly liveCount: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Brings the demo to life: its people, on an empty site; performers who are really live, over ordinary WHIP
 * from recorded loops in a process of their own; an audience spread over their rooms as on an evening; a few
 * viewers who chat and tip at a human pace; and performers who accept requests for private shows.
 */
export async function startDemo({
  root,
  data,
  blobs,
  site,
  port,
  version,
  liveCount,
  onError,
}: DemoDependencies): Promise<Demo> {
  const { live: able, fans } = await seedDemo({ data, blobs, services: site.services });
  const live = able.slice(0, liveCount);
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
  const sendHostsHome = startHosts({
    bus: data.bus,
    clock: data.clock,
    onError,
    performers: live.map(({ username }) => username),
    enters: (username) =>
      entersDemo(site.http, username, {
        address: `127.8.0.${live.findIndex((one) => one.username === username) + 1}`,
        host: `localhost:${port}`,
      }),
  });
  const sendAudienceHome = startAudience({
    attendance: data.attendance,
    clock: data.clock,
    random: Math.random,
    operatorId: DEFAULT_SCOPE.operatorId,
    rooms: live.map(({ id }) => id),
    members: fans,
  });
  return {
    logins: DEMO_LOGINS,
    stop: async () => {
      sendAudienceHome();
      sendExtrasHome();
      sendHostsHome();
      await loops.close();
    },
  };
}
