import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME } from '../../local/frames.ts';
import { readRtcp, writeSenderReport, type SenderReport } from '../../wire/rtcp.ts';
import { StreamTimes } from '../hls/stream-times.ts';
import type { Picture } from '../media/stream-reader.ts';
import { Timeline } from '../media/tracks/timeline.ts';
import { OwnReports } from './own-reports.ts';

const START = 1_800_000_000_000;
const FRAME_MS = 40;
const [VIDEO_SSRC, SOUND_SSRC] = [7, 8];

interface Sent {
  readonly type: number;
  readonly report: SenderReport;
}

function reports(): { readonly own: OwnReports; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const own = new OwnReports({
    videoSsrc: VIDEO_SSRC,
    soundSsrc: SOUND_SSRC,
    send: (type, bytes) => {
      for (const report of readRtcp(bytes)) if (report.kind === 'sender_report') sent.push({ type, report });
    },
  });
  return { own, sent };
}

/** A picture of the source; its content does not matter here. */
const pictureOf = (
  of: Pick<Picture, 'timestamp' | 'timeMs' | 'sent' | 'jumped'>,
): Picture => ({ ...of, units: [], keyframe: true, arrivedMs: of.timeMs } as unknown as Picture);

const uint32 = fc.integer({ min: 0, max: 0xffffffff });

describe('a rendition whose source sends no reports', () => {
  it('has its segments where those of its source are, whatever making them took', () => {
    const lateness = fc.array(fc.integer({ min: 0, max: 1_900 }), { minLength: 200, maxLength: 200 });
    const jitter = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 400, maxLength: 400 });
    const joins = fc.integer({ min: 0, max: 150 });
    fc.assert(fc.property(uint32, lateness, jitter, joins, (zero, late, jitters, joinedAt) => {
      const [atSource, atChild, atSmall] = [new Timeline(), new Timeline(), new Timeline()];
      const { own, sent } = reports();
      const times = new StreamTimes();
      let taken = 0;
      let outMs = 0;
      for (let i = 0; i < 200; i += 1) {
        const timestamp = (zero + i * FRAME_MS * 90) >>> 0;
        const arrivedMs = START + i * FRAME_MS;
        const source = atSource.picture(timestamp, arrivedMs + jitters[i]!);
        const child = atChild.picture(timestamp, arrivedMs + jitters[200 + i]!);
        own.picture(pictureOf({ timestamp, ...child }), i > 0);
        // Pictures leave in order. A reader that joins later gets the last earlier report.
        outMs = Math.max(outMs, arrivedMs + late[i]!);
        if (i < joinedAt) continue;
        for (; taken < sent.length; taken += 1) atSmall.noteVideoReport(sent[taken]!.report, arrivedMs);
        const small = atSmall.picture(timestamp, outMs);
        const placed = times.place('one', { startsAt: source.timeMs, sent: source.sent });
        const placedSmall = times.place('one~360', { startsAt: small.timeMs, sent: small.sent });
        // A joining reader gets a report at most a second old; after the next one only arrival times differ.
        if (i > joinedAt + 30) expect(Math.abs(placedSmall - placed)).toBeLessThanOrEqual(130);
      }
    }));
  });

  it('reports each second, at once after a jump, and until one of before has left', () => {
    const { own, sent } = reports();
    const comes = (timeMs: number, isOut = true, jumped = false): void =>
      own.picture(pictureOf({ timestamp: timeMs * 90, timeMs: START + timeMs, sent: null, jumped }), isOut);
    comes(0, false);
    comes(40, false);
    comes(80);
    for (let atMs = 120; atMs <= 2_080; atMs += 40) comes(atMs);
    comes(2_120, true, true);
    expect(sent.map(({ report: { timestamp } }) => timestamp / 90)).toEqual([0, 40, 80, 1_080, 2_080, 2_120]);
    expect(sent.at(-1)).toMatchObject({
      type: FRAME.videoReport,
      report: {
        ssrc: VIDEO_SSRC,
        ntpSeconds: 1_800_000_002 + 2_208_988_800,
      },
    });
  });
});

describe('a rendition whose source reports', () => {
  const report = (ssrc: number): Buffer =>
    writeSenderReport({ ssrc, ntpSeconds: 5, ntpFraction: 6, timestamp: 90, packets: 1, octets: 2 });

  it('passes its reports on under numbers of its own, and says nothing itself', () => {
    const { own, sent } = reports();
    own.pass(FRAME.videoReport, report(1));
    own.pass(FRAME.audioReport, report(2));
    own.picture(
      pictureOf({
        timestamp: 90,
        timeMs: START,
        sent: { atMs: 5_000, behindMs: 0 },
        jumped: false,
      }),
      true,
    );
    expect(sent.map(({ type, report: { ssrc, ntpSeconds } }) => [type, ssrc, ntpSeconds]))
      .toEqual([[FRAME.videoReport, VIDEO_SSRC, 5], [FRAME.audioReport, SOUND_SSRC, 5]]);
  });

  it('says nothing of its sound while its pictures go by the clock of this machine', () => {
    const { own, sent } = reports();
    own.pass(FRAME.audioReport, report(2));
    expect(sent).toEqual([]);
  });
});
