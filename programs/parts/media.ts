import { systemClock } from '#platform/data/clock.ts';
import { createEmbeddedEngine } from '#platform/streaming/embedded/embedded-engine.ts';
import type { MediaPlane } from '#platform/streaming/media-plane.ts';
import { createOutputs } from '#platform/streaming/outputs/media-outputs.ts';
import { createRtmpIngest } from '#platform/streaming/rtmp/rtmp-ingest.ts';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { loopbackOf, type Config } from '../config/config.ts';
import { hasTurnOverTcp } from '../config/ice.ts';

/** The media plane of this machine, not started yet. All of it runs in child processes. */
export async function createMedia(
  { host, mediaPort, publicIp, rtmpPort, rtmpTranscoders, dataDir, ice }: Config,
  log: Logger,
): Promise<MediaPlane> {
  const engine = createEmbeddedEngine({
    udpPort: mediaPort,
    hasTurnPorts: hasTurnOverTcp(ice),
    publicAddress: publicIp ?? undefined,
    // Media listens on every interface even where pages listen on loopback: Firefox pairs none of its
    // addresses with loopback. A stranger who finds the port gets nothing: ICE checks are answered only with
    // the password of a session, and media flows only under the DTLS fingerprint of its offer.
    loopbackAddress: loopbackOf(host),
    onRelayLost: (relay, detail) => log.error({ relay, detail }, 'a relay ended; it is started again'),
  });
  const { local } = engine;
  const outputs = await createOutputs({ local, directory: join(dataDir, 'outputs') });
  outputs.onReport((report) => {
    if (report.kind === 'fault') log.error({ what: report.what, detail: report.detail }, 'an output broke');
  });
  return {
    engine,
    local,
    outputs,
    rtmp: rtmpPort === null ? null : createRtmpIngest({
      port: rtmpPort,
      bindAddress: loopbackOf(host) ?? host,
      clock: systemClock,
      transcoders: rtmpTranscoders,
    }),
  };
}
