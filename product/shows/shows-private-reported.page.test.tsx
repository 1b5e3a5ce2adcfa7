import { closeReport, getReportedRecording, listReports, sendReport } from '#product/moderation/contract.ts';
import { deleteRecording, listRecordings } from '#product/recordings/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { endsRecorded, runsRecorded, sellsRecordings } from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getReceipts } from './contract/private-running.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

const stored = (): string[] => readdirSync(join(site.folder, 'kept', '1'));

/** A recorded ticket show with a buyer of its recording; returns its number. */
async function sellsOne(performer: Member, buyer: Member): Promise<number> {
  const { show, stream } = await runsRecorded(site, performer, buyer);
  await sellsRecordings(performer, buyer);
  await endsRecorded(site, performer, stream);
  return show;
}

/** A private show with a recording of twelve seconds for its viewer; returns its number. */
async function recordsPrivate(performer: Member, viewer: Member): Promise<number> {
  await startsPrivate(viewer, performer, { recording: true });
  await watches(viewer, performer);
  await mediaPasses(site, performer, 2);
  const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
  site.outputs.film(stream ?? '', 12);
  await endsPrivate(viewer, performer);
  await site.settle();
  return (await viewer.call(getReceipts, {})).receipts[0]?.id ?? 0;
}

const closes = async (id = 0): Promise<void> => {
  await admin.call(closeReport, { id, outcome: 'removed', note: 'looked at' });
  await site.settle();
};

test('the viewer of a private show reports its recording, which is there until that report is closed', {
  timeout: 120_000,
}, async () => {
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60, isRecordingEnabled: true });
  const [viewer, buyer] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
  const { username } = performer;
  const ticketShow = await sellsOne(performer, buyer);
  const [ticketFile = ''] = stored();
  const show = await recordsPrivate(performer, viewer);
  const [file = ''] = stored().filter((name) => name !== ticketFile);
  // Both kinds of show count from one: a ticket show of the same number is another show.
  expect([ticketShow, show]).toEqual([1, 1]);
  const page = await openPage(site, viewer, `/account/shows/recordings/${show}?mode=private`);
  await page.press('Report this recording');
  const dialog = await page.find('dialog', 'Report this recording');
  await page.choose('What’s wrong?', 'Without somebody’s consent', { in: dialog });
  await page.press('Send report', { in: dialog });
  await page.sees(/^We’ve received your report\./u);
  expect(await page.problems()).toEqual([]);
  await buyer.call(sendReport, { kind: 'recording', username, id: 1, reason: 'spam', details: '' });

  const [ofTicket, report] = (await admin.call(listReports, {})).reports;
  const [id, part] = [report?.id ?? 0, report?.recordings[0]?.id ?? 0];
  expect(report).toMatchObject({
    kind: 'recording',
    within: 'private',
    target_id: 1,
    username,
    reporter: viewer.username,
    reason: 'non_consensual',
    recordings: [{ id: part, seconds: 12, is_deleted: false }],
  });
  expect(ofTicket).toMatchObject({ within: null, target_id: 1, username, recordings: [{ seconds: 300 }] });
  expect((await performer.call(listRecordings, {})).recordings.map((item) => item.id)).toContain(part);
  await performer.call(deleteRecording, { id: part });
  await site.settle();
  expect((await admin.call(listReports, {})).reports[1]?.recordings)
    .toEqual([{ id: part, seconds: 12, is_deleted: true }]);
  const watched = await admin.call(getReportedRecording, { id, part });
  expect([watched.status, watched.body.length > 0]).toEqual([200, true]);
  // Under the report about the ticket show there is no such part.
  expect((await admin.refused(getReportedRecording, { id: ofTicket?.id ?? 0, part })).errorType)
    .toBe('report_unknown');
  expect(stored()).toContain(file);
  await closes(id);
  // The report about the ticket show, which is still open, does not hold the file of the private one.
  expect(stored()).toEqual([ticketFile]);
  expect((await admin.refused(getReportedRecording, { id, part })).errorType).toBe('report_unknown');
  expect((await admin.call(listReports, {})).reports.map((item) => item.id)).toEqual([ofTicket?.id]);
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
