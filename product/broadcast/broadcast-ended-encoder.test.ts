import type { RtmpAdmission } from '#platform/streaming/rtmp/ingest.ts';
import { hideMe, showMe } from '#product/compliance/contract.ts';
import { playbackOf, publishes } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endBroadcast, getOwnBroadcast, makeBrowserKey, rotateStreamKey } from './contract.ts';
import { readmitEncoder } from './contract/readmission.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const HOME = '192.0.2.1';
const REFUSED = { admitted: false, reason: 'You ended this broadcast. Stop and start your encoder.' };
const SECOND = 1_000;
const MINUTE = 60_000;

const stateOf = async (performer: Member): Promise<string> =>
  (await performer.call(getOwnBroadcast, {})).state;

/** A performer who was on air with an encoder and has ended the broadcast on the page. */
async function endsOnAir(): Promise<{
  readonly performer: Member;
  readonly session: string;
  readonly key: string;
  readonly tries: (address?: string) => Promise<RtmpAdmission>;
}> {
  const performer = await site.performer();
  const { stream_key: key } = await performer.call(rotateStreamKey, {});
  const tries = (address = HOME): Promise<RtmpAdmission> => site.rtmp.publishes(key, { address });
  const admitted = await tries();
  if (!admitted.admitted) throw new Error(admitted.reason);
  site.engine.arrive();
  await site.settle();
  expect(await stateOf(performer)).toBe('online');
  expect(await performer.call(endBroadcast, {})).toMatchObject({ fromEncoder: true });
  await site.settle();
  return { performer, key, tries, session: admitted.feed.session };
}

describe('an encoder whose broadcast the performer has ended', () => {
  it('begins no other one, however long it keeps trying', async () => {
    const { performer, tries } = await endsOnAir();
    // OBS waits half as long again each time, up to 15 minutes.
    for (const seconds of [2, 60, 90, 135, 203, 304, 456, 684, 900, 900]) {
      await site.passes(seconds * SECOND);
      expect(await tries(), String(seconds)).toMatchObject(REFUSED);
      expect(await stateOf(performer)).toBe('offline');
    }
  });

  it('is on air again after a pause', async () => {
    const { performer, tries } = await endsOnAir();
    await site.passes(2 * SECOND);
    expect(await tries()).toMatchObject(REFUSED);
    await site.passes(2 * MINUTE);
    expect((await tries()).admitted).toBe(true);
    site.engine.arrive();
    await site.settle();
    expect(await stateOf(performer)).toBe('online');
  });

  it('is on air again after it was stopped, over RTMP and over WHIP', async () => {
    const { session, key, tries } = await endsOnAir();
    site.rtmp.finishes('another', key);
    await site.settle();
    expect(await tries()).toMatchObject(REFUSED);
    site.rtmp.finishes(session, key);
    await site.settle();
    expect((await tries()).admitted).toBe(true);

    const performer = await site.performer();
    const { stream_key: whipKey } = await performer.call(rotateStreamKey, {});
    const encoder = await site.visitor({ opened: false });
    const { session: whipSession } = await publishes(encoder, whipKey);
    site.engine.arrive();
    await site.settle();
    await performer.call(endBroadcast, {});
    await site.settle();
    expect(await publishes(encoder, whipKey)).toMatchObject({ status: 409, code: 'encoder_ended' });
    await encoder.request({
      method: 'DELETE',
      url: `/whip/${whipSession}`,
      headers: { authorization: `Bearer ${whipKey}` },
    });
    expect((await publishes(encoder, whipKey)).status).toBe(201);
  });

  it('is one whose line is broken as well, and one that was replaced', async () => {
    const performer = await site.performer();
    const { stream_key: key } = await performer.call(rotateStreamKey, {});
    const tries = (address: string): Promise<RtmpAdmission> => site.rtmp.publishes(key, { address });
    await tries(HOME);
    site.engine.arrive();
    await site.settle();
    await tries('198.51.100.7');
    site.engine.arrive();
    await site.settle();
    site.engine.loseRelay();
    await site.settle();
    expect(await stateOf(performer)).toBe('reconnecting');
    await performer.call(endBroadcast, {});
    await site.settle();
    for (const address of [HOME, '198.51.100.7']) expect(await tries(address)).toMatchObject(REFUSED);
    // Another encoder counts as a new start.
    expect((await tries('203.0.113.9')).admitted).toBe(true);
  });

  it('stops neither a page nor a new key', async () => {
    const { performer, tries } = await endsOnAir();
    const { stream_key: page } = await performer.call(makeBrowserKey, {});
    expect((await publishes(performer, page)).status).toBe(201);
    site.engine.arrive();
    await site.settle();
    expect(await tries()).toMatchObject(REFUSED);
    expect(await stateOf(performer)).toBe('online');
    expect(await performer.call(endBroadcast, {})).toMatchObject({ fromEncoder: false });
    const { stream_key: key } = await performer.call(rotateStreamKey, {});
    expect((await site.rtmp.publishes(key, { address: HOME })).admitted).toBe(true);
  });
});

describe('whether an encoder is refused now', () => {
  const isRefused = async (performer: Member): Promise<boolean> =>
    (await performer.call(getOwnBroadcast, {})).encoderRefused;

  it('is said of the own one alone, from the end of its broadcast until it may come again', async () => {
    const other = await site.performer();
    const { performer, tries } = await endsOnAir();
    expect([await isRefused(performer), await isRefused(other)]).toEqual([true, false]);
    await site.passes(2 * MINUTE - SECOND);
    expect(await isRefused(performer)).toBe(true);
    // An encoder that keeps trying stays refused.
    await tries();
    await site.passes(MINUTE);
    expect(await isRefused(performer)).toBe(true);
    await site.passes(4 * MINUTE);
    expect(await isRefused(performer)).toBe(false);
    expect((await tries()).admitted).toBe(true);
    expect(await isRefused(performer)).toBe(false);
  });

  it('is said while a page publishes and after its end, until the performer lets it back on', async () => {
    const { performer, tries } = await endsOnAir();
    const { stream_key: page } = await performer.call(makeBrowserKey, {});
    await publishes(performer, page);
    site.engine.arrive();
    await site.settle();
    expect(await isRefused(performer)).toBe(true);
    expect(await performer.call(endBroadcast, {})).toMatchObject({ fromEncoder: false });
    expect(await isRefused(performer)).toBe(true);
    await performer.call(readmitEncoder, {});
    expect([await isRefused(performer), (await tries()).admitted]).toEqual([false, true]);
  });

  it('is not so of one that was stopped, and none where a page alone was ended', async () => {
    const { performer, session, key } = await endsOnAir();
    site.rtmp.finishes(session, key);
    await site.settle();
    expect(await isRefused(performer)).toBe(false);
    const { stream_key: page } = await performer.call(makeBrowserKey, {});
    await publishes(performer, page);
    await performer.call(endBroadcast, {});
    expect(await isRefused(performer)).toBe(false);
  });
});

const [OLDER, NEWER] = ['192.0.2.1', '192.0.2.2'];
const [ENDED, REPLACED] = ['encoder_ended', 'publisher_replaced'];
type Tries = (address: string) => Promise<{ readonly code: string | null; readonly session: string }>;

/**
 * A performer whose newer encoder has replaced the older one, which still runs at another address.
 * @param isLate whether the older one's end is reported only by `report`, not before the newer one's answer
 */
async function twoEncoders(protocol: 'rtmp' | 'whip', { isLate = false } = {}): Promise<{
  readonly performer: Member;
  readonly tries: Tries;
  readonly stream: string;
  readonly stops: () => Promise<unknown>;
  readonly report: () => void;
}> {
  const performer = await site.performer();
  const { stream_key: key } = await performer.call(rotateStreamKey, {});
  const encoders = new Map<string, Visitor>();
  for (const address of [OLDER, NEWER]) {
    encoders.set(address, await site.visitor({ opened: false, address }));
  }
  const tries: Tries = async (address) => {
    if (protocol === 'whip') {
      const { code, session } = await publishes(encoders.get(address)!, key);
      return { code, session };
    }
    const admission = await site.rtmp.publishes(key, { address });
    if (admission.admitted) return { code: null, session: admission.feed.session };
    return { code: admission.reason === REFUSED.reason ? ENDED : REPLACED, session: '' };
  };
  await tries(OLDER);
  site.engine.arrive();
  const report = isLate ? site.engine.delaysReplaced() : () => undefined;
  const { session } = await tries(NEWER);
  site.engine.arrive();
  await site.settle();
  const { stream } = await playbackOf(performer, performer);
  const stops = async (): Promise<unknown> =>
    protocol === 'rtmp'
      ? site.engine.drop(stream, 'finished')
      : encoders.get(NEWER)!.request({
        method: 'DELETE',
        url: `/whip/${session}`,
        headers: { authorization: `Bearer ${key}` },
      });
  return { performer, tries, stream, stops, report };
}

describe.each(['rtmp', 'whip'] as const)('an encoder that was replaced, over %s', (protocol) => {
  it('stays out also when the engine reports its end after it has answered the newer one', async () => {
    const { performer, tries, stream, report } = await twoEncoders(protocol, { isLate: true });
    report();
    expect((await tries(OLDER)).code).toBe(REPLACED);
    site.engine.pause(stream);
    expect((await tries(OLDER)).code).toBe(REPLACED);
    expect((await tries(NEWER)).code).toBeNull();
    await performer.call(endBroadcast, {});
    expect((await tries(OLDER)).code).toBe(ENDED);
  });

  it('is as new as any in the next broadcast, also when its end is reported after the last one', async () => {
    const { performer, tries, report } = await twoEncoders(protocol, { isLate: true });
    await performer.call(endBroadcast, {});
    report();
    await performer.call(readmitEncoder, {});
    expect((await tries(NEWER)).code).toBeNull();
    site.engine.arrive();
    expect((await tries(OLDER)).code).toBeNull();
  });

  it('does not go on air by itself when the newer one stops on purpose', async () => {
    const { performer, tries, stops } = await twoEncoders(protocol);
    await stops();
    await site.settle();
    for (const seconds of [2, 60, 90]) {
      await site.passes(seconds * SECOND);
      expect((await tries(OLDER)).code, String(seconds)).toBe(ENDED);
      expect(await stateOf(performer)).toBe('offline');
    }
    // The newer one, which had stopped, is started again and ended; the older one keeps trying.
    expect((await tries(NEWER)).code).toBeNull();
    await performer.call(endBroadcast, {});
    expect((await tries(OLDER)).code).toBe(ENDED);
  });

  it.each(['stops', 'is ended'])('that waits long by now stays off when the newer one %s', async (how) => {
    const { performer, tries, stops } = await twoEncoders(protocol);
    for (const seconds of [135, 203, 304]) {
      await site.passes(seconds * SECOND);
      expect((await tries(OLDER)).code).toBe(REPLACED);
    }
    if (how === 'stops') await stops();
    else await performer.call(endBroadcast, {});
    await site.settle();
    for (const seconds of [456, 684, 900, 900]) {
      await site.passes(seconds * SECOND);
      expect((await tries(OLDER)).code, String(seconds)).toBe(ENDED);
      expect(await stateOf(performer)).toBe('offline');
    }
  });

  it('begins after a pause of two minutes', async () => {
    const { performer, tries, stops } = await twoEncoders(protocol);
    await stops();
    await site.settle();
    await site.passes(2 * SECOND);
    expect((await tries(OLDER)).code).toBe(ENDED);
    await site.passes(2 * MINUTE);
    expect((await tries(OLDER)).code).toBeNull();
    site.engine.arrive();
    await site.settle();
    expect(await stateOf(performer)).toBe('online');
  });

  it('takes over from a newer one whose line is gone', async () => {
    const { tries, stream } = await twoEncoders(protocol);
    site.engine.drop(stream, 'silent');
    await site.settle();
    await site.passes(2 * SECOND);
    expect((await tries(OLDER)).code).toBeNull();
  });
});

it('a page that replaces itself may do so again, also when its own end is reported late', async () => {
  const performer = await site.performer();
  const { stream_key: key } = await performer.call(makeBrowserKey, {});
  expect((await publishes(performer, key)).status).toBe(201);
  site.engine.arrive();
  const report = site.engine.delaysReplaced();
  expect((await publishes(performer, key)).status).toBe(201);
  report();
  expect((await publishes(performer, key)).status).toBe(201);
});

it('an encoder that stops may start again at once, though it replaced one of its network', async () => {
  const performer = await site.performer();
  const { stream_key: key } = await performer.call(rotateStreamKey, {});
  for (const _ of [1, 2]) {
    await site.rtmp.publishes(key, { address: HOME });
    site.engine.arrive();
  }
  await site.settle();
  site.engine.drop((await playbackOf(performer, performer)).stream, 'finished');
  await site.settle();
  expect((await site.rtmp.publishes(key, { address: HOME })).admitted).toBe(true);
});

/** The refusal of a performer's call to let the encoder back on. */
const refusalOf = (performer: Member): ReturnType<Member['refused']> => performer.refused(readmitEncoder, {});

describe('an ended encoder that its performer lets back on', () => {
  it('is on air at its next try, wherever it comes from', async () => {
    const { performer, tries } = await endsOnAir();
    expect(await tries()).toMatchObject(REFUSED);
    await site.passes(60 * SECOND);
    expect(await tries()).toMatchObject(REFUSED);
    expect(await performer.call(readmitEncoder, {})).toEqual({ status: 1 });
    expect(await stateOf(performer)).toBe('offline');
    expect((await tries()).admitted).toBe(true);
    site.engine.arrive();
    await site.settle();
    expect(await stateOf(performer)).toBe('online');
  });

  it('is on air again over WHIP, and is refused again after the next end', async () => {
    const performer = await site.performer();
    const { stream_key: key } = await performer.call(rotateStreamKey, {});
    const encoder = await site.visitor({ opened: false });
    for (const _ of [1, 2]) {
      expect((await publishes(encoder, key)).status).toBe(201);
      site.engine.arrive();
      await site.settle();
      await performer.call(endBroadcast, {});
      await site.settle();
      expect(await publishes(encoder, key)).toMatchObject({ status: 409, code: 'encoder_ended' });
      await performer.call(readmitEncoder, {});
    }
  });

  it('is their own: nobody lets those of others on', async () => {
    const { tries } = await endsOnAir();
    const [other, viewer] = [await site.performer(), await site.viewer()];
    await other.call(readmitEncoder, {});
    expect((await viewer.refused(readmitEncoder, {})).status).toBe(403);
    expect((await (await site.visitor()).refused(readmitEncoder, {})).status).toBe(401);
    expect(await tries()).toMatchObject(REFUSED);
  });

  it('does not take over from the page they are live with meanwhile', async () => {
    const { performer, tries } = await endsOnAir();
    const { stream_key: page } = await performer.call(makeBrowserKey, {});
    expect((await publishes(performer, page)).status).toBe(201);
    expect(await refusalOf(performer)).toMatchObject({ status: 409, errorType: 'already_live' });
    expect(await tries()).toMatchObject(REFUSED);
  });

  it('stays out while its performer may not go live', async () => {
    const { performer, tries } = await endsOnAir();
    await performer.call(hideMe, {});
    expect(await refusalOf(performer)).toMatchObject({ status: 403, errorType: 'hidden_now' });
    await performer.call(showMe, {});
    expect(await tries()).toMatchObject(REFUSED);
  });

  it('is not let on all the time', async () => {
    const performer = await site.performer();
    for (let times = 1; times <= 10; times += 1) await performer.call(readmitEncoder, {});
    expect((await refusalOf(performer)).status).toBe(429);
  });
});
