import {
  adminAt,
  expectAllReads,
  showsFaces,
  titled,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import {
  getDocument,
  getLegalDocument,
  getTemplateText,
  listDocuments,
  listLegalDocuments,
  listTemplates,
  listTemplateVersions,
} from './client.ts';
import { issueDocument, publishTemplate, saveTemplate } from './contract/admin.ts';

const kind = 'release';
/** Somebody with a document to sign; its id. */
async function asked(site: TestSite): Promise<{ readonly person: Member; readonly id: string }> {
  const [admin, person] = [await site.admin(), await site.viewer()];
  const { draft } = await admin.call(saveTemplate, {
    kind,
    language: 'en',
    title: 'Release',
    text: 'All of it',
  });
  await admin.call(publishTemplate, {
    kind,
    version: draft?.version ?? 0,
    issue_to_all: false,
    sign_days: 30,
    reason: 'counsel agreed',
  });
  const { id } = await admin.call(issueDocument, { username: person.username, kind, sign_days: 30 });
  return { person, id };
}

const CASES: readonly ReadCase[] = [
  {
    in: ['document-page.tsx'],
    call: getLegalDocument,
    way: async (site) => {
      const { person, id } = await asked(site);
      return { visitor: person, at: `/legal/document/${id}` };
    },
  },
  {
    in: ['documents-page.tsx'],
    call: listLegalDocuments,
    way: async (site) => ({ visitor: (await asked(site)).person, at: '/account/documents' }),
  },
  {
    in: ['documents-to-sign.tsx'],
    call: listLegalDocuments,
    isSmall: true,
    way: async (site) => ({ visitor: (await asked(site)).person, at: '/account/settings' }),
  },
  {
    in: ['admin/agreements-page.tsx', 'admin/templates.tsx'],
    call: listTemplates,
    way: adminAt('/admin/agreements'),
  },
  {
    in: ['admin/agreements-page.tsx', 'admin/documents.tsx'],
    call: listDocuments,
    way: adminAt('/admin/agreements'),
  },
  {
    in: ['admin/template-editor.tsx'],
    call: getTemplateText,
    way: adminAt('/admin/agreements', {
      leads: async (page) => {
        await page.press('Edit Release');
      },
    }),
  },
  {
    in: ['admin/versions-dialog.tsx'],
    call: listTemplateVersions,
    way: adminAt('/admin/agreements', {
      leads: async (page) => {
        await page.press('Versions of Release');
      },
    }),
  },
  {
    in: ['admin/document-dialog.tsx'],
    call: getDocument,
    way: async (site) => {
      const { id } = await asked(site);
      return {
        visitor: await site.admin(),
        at: '/admin/agreements',
        leads: async (page) => {
          await page.press(`Open document ${id}`);
        },
      };
    },
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('agreements', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
