import { requestOf } from '#platform/contract/client.ts';
import { deleteRecording, getRecordingFile } from '#product/recordings/contract.ts';
import {
  endsRecorded,
  runsRecorded,
  sellsRecordings,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getShowRecording, getShowRecordingFile } from './contract/show-recording.ts';
import { getTickets } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('a bought recording', () => {
  let performer: Member;
  let buyer: Member;
  let show = 0;
  /** The status that the buyer got before the show was over. */
  let early = 0;
  let parts: readonly { readonly id: number }[] = [];
  beforeAll(async () => {
    performer = await ticketPerformer(site);
    buyer = await site.viewer({ tokens: 900 });
    const running = await runsRecorded(site, performer, buyer);
    ({ show } = running);
    await sellsRecordings(performer, buyer);
    early = (await buyer.refused(getShowRecording, { show })).status;
    await endsRecorded(site, performer, running.stream);
    ({ parts } = await buyer.call(getShowRecording, { show }));
  });
  const fileAs = async (who: Visitor, range?: string, of = show, part = parts[0]?.id ?? 0) => {
    const { path } = requestOf(getShowRecordingFile, { show: of, part });
    const { statusCode, headers, rawPayload } = await who.request({ url: path, headers: { range } });
    return { status: statusCode, headers, body: rawPayload };
  };

  it('is watched by its buyer and its performer, in byte ranges, and stored by no cache', async () => {
    expect(early).toBe(404);
    expect(await buyer.call(getShowRecording, { show })).toEqual({
      show_id: show,
      mode: 'limited',
      broadcaster: performer.username,
      display_name: performer.person.displayName,
      limited_message: 'Fire and feathers',
      started_at: expect.any(String) as string,
      seconds: 300,
      parts: [{ id: expect.any(Number) as number, seconds: 300, width: 640, height: 360 }],
    });
    expect(await performer.call(getShowRecording, { show })).toMatchObject({ seconds: 300 });
    const [whole, own] = [await fileAs(buyer), await fileAs(performer)];
    expect([whole.status, own.status]).toEqual([200, 200]);
    expect(whole.headers).toMatchObject({
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
    });
    expect(whole.headers).not.toHaveProperty('content-disposition');
    const some = await fileAs(buyer, 'bytes=10-19');
    expect([some.status, some.headers['content-range']]).toEqual([206, `bytes 10-19/${whole.body.length}`]);
    expect(some.body.equals(whole.body.subarray(10, 20))).toBe(true);
    expect((await fileAs(buyer, `bytes=${whole.body.length}-`)).status).toBe(416);
  });

  it('is refused to everybody else, whoever they are, and by any other id', async () => {
    const holder = await site.viewer({ tokens: 500 });
    const second = await ticketPerformer(site);
    const elsewhere = await runsRecorded(site, second, holder);
    await endsRecorded(site, second, elsewhere.stream);
    for (const who of [
      holder,
      await site.viewer(),
      await site.admin(),
      await site.performer(),
      second,
    ]) {
      expect(await who.refused(getShowRecording, { show }))
        .toMatchObject({ status: 404, errorType: 'show_recording_unknown' });
      expect((await fileAs(who)).status).toBe(404);
    }
    const guest = await site.visitor({ ofAge: true });
    expect([(await guest.refused(getShowRecording, { show })).status, (await fileAs(guest)).status])
      .toEqual([401, 401]);
    // A ticket alone does not include the recording, and a part is found only in its own show.
    expect((await holder.refused(getShowRecording, { show: elsewhere.show })).status).toBe(404);
    const [other] = (await second.call(getShowRecording, { show: elsewhere.show })).parts;
    expect((await fileAs(buyer, undefined, show, other?.id ?? 0)).status).toBe(404);
    expect((await fileAs(buyer, undefined, elsewhere.show, parts[0]?.id ?? 0)).status).toBe(404);
    expect((await fileAs(buyer, undefined, 999_999)).status).toBe(404);
    // The performer's own address for the file is refused to everybody else, including the buyer.
    const { path } = requestOf(getRecordingFile, { id: parts[0]?.id ?? 0 });
    expect((await buyer.request({ url: path })).statusCode).toBe(403);
    expect((await second.request({ url: path })).statusCode).toBe(404);
  });

  it('is refused to a buyer who is banned or suspended, and while the performer is', async () => {
    const tries =
      async () => [(await buyer.refused(getShowRecording, { show })).status, (await fileAs(buyer)).status];
    await performer.moderates('ban', buyer);
    await site.settle();
    expect(await tries()).toEqual([404, 404]);
    await performer.moderates('unban', buyer);
    await site.settle();
    expect((await fileAs(buyer)).status).toBe(200);
    const suspends = (id: number, suspended: boolean) =>
      site.tx((tx) => site.services.accounts.suspend(tx, id, { suspended, actorId: null, reason: 'a test' }));
    await suspends(performer.id, true);
    await site.settle();
    expect(await tries()).toEqual([404, 404]);
    await suspends(performer.id, false);
    await site.settle();
    expect((await fileAs(buyer)).status).toBe(200);
    await suspends(buyer.id, true);
    await site.settle();
    for (const status of await tries()) expect([401, 403]).toContain(status);
  });

  it('is played by nobody once its performer has deleted it, and its file is gone', async () => {
    const [mine, viewer] = [await ticketPerformer(site), await site.viewer({ tokens: 500 })];
    const running = await runsRecorded(site, mine, viewer);
    await sellsRecordings(mine, viewer);
    await endsRecorded(site, mine, running.stream);
    const { parts: [part] } = await viewer.call(getShowRecording, { show: running.show });
    const files = () => readdirSync(join(site.folder, 'kept', '1')).length;
    const before = files();
    expect((await fileAs(viewer, undefined, running.show, part?.id)).status).toBe(200);
    await mine.call(deleteRecording, { id: part?.id ?? 0 });
    expect(files()).toBe(before - 1);
    expect((await fileAs(viewer, undefined, running.show, part?.id)).status).toBe(404);
    await site.settle();
    for (const who of [viewer, mine]) {
      expect((await who.refused(getShowRecording, { show: running.show })).status).toBe(404);
    }
    expect((await viewer.call(getTickets, {})).tickets[0]?.recording)
      .toEqual({ tokens: 50, state: 'paid', is_playable: false });
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
