import { listReports, sendReport } from '#product/moderation/contract.ts';
import { deleteRecording, listRecordings } from '#product/recordings/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import {
  endsRecorded,
  runsRecorded,
  sellsRecordings,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('an admin watches a reported recording on asking, though its performer deleted it', async () => {
  const [performer, buyer] = [await ticketPerformer(site), await site.viewer({ tokens: 500 })];
  const { show, stream } = await runsRecorded(site, performer, buyer);
  await sellsRecordings(performer, buyer);
  await endsRecorded(site, performer, stream);
  await buyer.call(sendReport, {
    kind: 'recording',
    username: performer.username,
    id: show,
    reason: 'illegal',
    details: '',
  });
  const [recording] = (await performer.call(listRecordings, {})).recordings;
  const admin = await site.admin();
  const page = await openPage(site, admin, '/admin/reports');
  await page.find('button', 'Show the recording (5:00)');
  expect(page.shows(/Its performer deleted it/u)).toBe(false);
  await performer.call(deleteRecording, { id: recording?.id ?? 0 });
  await page.goto('/');
  await page.goto('/admin/reports');
  await page.sees(/^Its performer deleted it\. Only admins can watch it/u);
  expect(document.querySelectorAll('video')).toHaveLength(0);
  await page.press('Show the recording (5:00)');
  const [report] = (await admin.call(listReports, {})).reports;
  const video = await page.until(() => {
    const shown = document.querySelector('video');
    if (!shown) throw new Error('there is no video yet');
    return shown;
  });
  expect(video.getAttribute('src')).toBe(`/api/v1/admin/reports/${report?.id}/recordings/${recording?.id}`);
  expect(video.getAttribute('aria-label')).toBe(`Recording of report ${report?.id} (5:00)`);
  expect(await page.problems()).toEqual([]);
});
