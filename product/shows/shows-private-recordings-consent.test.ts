import { listNotices } from '#product/notices/contract.ts';
import { endsPrivate, privatePerformer } from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getReceipts } from './contract/private-running.ts';
import {
  acceptPrivate,
  declinePrivate,
  getPrivateRequests,
  requestPrivate,
  withdrawPrivate,
} from './contract/private-show.ts';
import { PERFORMER_CONSENT_VERSION, VIEWER_CONSENT_VERSION } from './rules/private.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());
const receiptOf = async (member: Member) => (await member.call(getReceipts, {})).receipts[0];
const offering = (): Promise<Member> => privatePerformer(site, { isRecordingEnabled: true });

describe('the recording of a private show', () => {
  it('stores when each of the two agreed, and to which text', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 500 });
    await viewer.call(requestPrivate, { username: performer.username, price: 30, recording: true });
    const askedAt = site.clock.now().toISOString();
    await site.passes(9_000);
    const agreedAt = site.clock.now().toISOString();
    await performer.call(acceptPrivate, { username: viewer.username, recording_consent: true });
    const { rows: [row] } = await site.tx((tx) =>
      sql<{
        recording_viewer_at: Date;
        recording_viewer_version: number;
        recording_performer_at: Date;
        recording_performer_version: number;
      }>`select * from shows.privates where viewer_id = ${viewer.id}`.execute(tx.sql())
    );
    expect([
      row?.recording_viewer_at.toISOString(),
      row?.recording_performer_at.toISOString(),
      row?.recording_viewer_version,
      row?.recording_performer_version,
    ]).toEqual([askedAt, agreedAt, VIEWER_CONSENT_VERSION, PERFORMER_CONSENT_VERSION]);
    await endsPrivate(viewer, performer);
    await site.settle();
    // The show never had video, so there is nothing to watch.
    expect(await receiptOf(viewer)).toMatchObject({ recording_state: 'none' });
    expect((await viewer.call(listNotices, {})).notices).toEqual([]);
  });
});

it('a request with a recording is declined, and withdrawn, as any other', async () => {
  const performer = await offering();
  const viewer = await site.viewer({ tokens: 500 });
  await viewer.call(requestPrivate, { username: performer.username, price: 30, recording: true });
  await performer.call(declinePrivate, { username: viewer.username });
  expect((await performer.call(getPrivateRequests, {})).requests).toEqual([]);
});

describe('a consent to the recording of a private show', () => {
  it('is neither asked for nor accepted by a text that has changed since it was shown', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 500 });
    const { username } = performer;
    expect(
      await viewer.refused(requestPrivate, {
        username,
        price: 30,
        recording: true,
        recording_consent_version: VIEWER_CONSENT_VERSION - 1,
      }),
    ).toMatchObject({
      status: 409,
      errorType: 'recording_consent_outdated',
      version: VIEWER_CONSENT_VERSION,
    });
    await viewer.call(requestPrivate, {
      username,
      price: 30,
      recording: true,
      recording_consent_version: VIEWER_CONSENT_VERSION,
    });
    const acceptance = { username: viewer.username, recording_consent: true };
    expect(
      await performer.refused(acceptPrivate, {
        ...acceptance,
        recording_consent_version: PERFORMER_CONSENT_VERSION - 1,
      }),
    ).toMatchObject({
      status: 409,
      errorType: 'recording_consent_outdated',
      version: PERFORMER_CONSENT_VERSION,
    });
    // The request is still pending.
    expect((await performer.call(getPrivateRequests, {})).requests).toHaveLength(1);
    await viewer.call(withdrawPrivate, { username });
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
