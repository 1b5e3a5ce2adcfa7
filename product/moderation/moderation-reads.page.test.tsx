import {
  adminAt,
  expectAllReads,
  showsFaces,
  titled,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { followRequest, getCase, listCases, listQueues, listReports } from './client.ts';
import { sendReport } from './contract.ts';
import { listCases as listAllCases } from './contract/cases.ts';
import { sendRequest } from './contract/requests.ts';

/** An admin who opens a case. */
const aCase: ReadCase['way'] = async (asked) => {
  const subject = await asked.viewer();
  await (await asked.viewer()).call(sendReport, {
    kind: 'person',
    username: subject.username,
    reason: 'spam',
    details: '',
  });
  const visitor = await asked.admin();
  const { cases } = await visitor.call(listAllCases, {});
  return { visitor, at: `/admin/cases?case=${cases.at(-1)?.id ?? 0}` };
};

/** Somebody without an account who follows their request. */
const aRequest: ReadCase['way'] = async (asked) => {
  const visitor = await asked.visitor();
  const { reference, key } = await visitor.call(sendRequest, {
    kind: 'complaint',
    relation: 'other',
    name: 'Jo Example',
    email: 'jo@example.com',
    addresses: ['https://candela.example/somebody'],
    statement: 'Something is wrong there.',
    good_faith: true,
    accurate: true,
    signature: 'Jo Example',
  });
  return { visitor, at: `/report/${reference}?key=${key}` };
};

const CASES: readonly ReadCase[] = [
  { in: ['reports-page.tsx'], call: listReports, way: adminAt('/admin/reports') },
  { in: ['cases/cases-page.tsx'], call: listQueues, way: adminAt('/admin/cases') },
  { in: ['cases/cases-page.tsx'], call: listCases, way: adminAt('/admin/cases') },
  { in: ['cases/cases-page.tsx', 'cases/one-case.tsx'], call: getCase, way: aCase },
  { in: ['public/follow-page.tsx'], call: followRequest, way: aRequest },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('moderation', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
