import { read, readPages, routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listDocuments, listTemplates } from '../../client.ts';
import { Documents } from './documents.tsx';
import { IssueForm } from './issue-form.tsx';
import { Templates } from './templates.tsx';

const wanted = {
  texts: ['agreements'],
  always: true,
  member: true,
  reads: () => [read(listTemplates, {}), readPages(listDocuments, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** For admins: templates, and every document that people were asked to sign. */
export default function AgreementsPage() {
  const { t } = useTranslation('agreements');
  return (
    <Wide title={t('admin.title')} lead={t('admin.lead')}>
      <div className="flex flex-col gap-6">
        <Section anchor="templates" title={t('admin.templates')} lead={t('admin.templatesLead')}>
          <Templates />
        </Section>
        <Section anchor="issue" title={t('admin.issue')} lead={t('admin.issueLead')}>
          <IssueForm />
        </Section>
        <Section anchor="documents" title={t('admin.documents')} lead={t('admin.documentsLead')}>
          <Documents />
        </Section>
      </div>
    </Wide>
  );
}
