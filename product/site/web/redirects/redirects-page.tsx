import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { listRedirectKeys } from '../../client.ts';
import { MakeRedirect } from './make-redirect.tsx';
import { RedirectList } from './redirect-list.tsx';

const wanted = {
  texts: ['site'],
  always: true,
  member: true,
  reads: () => [readPages(listRedirectKeys, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** For admins: redirect keys of the operator. */
export default function RedirectsPage() {
  const { t } = useTranslation('site');
  return (
    <Wide title={t('redirects.title')} lead={t('redirects.lead')}>
      <div className="flex flex-col gap-6">
        <Section anchor="make" title={t('redirects.make')} lead={t('redirects.makeLead')}>
          <MakeRedirect />
        </Section>
        <Section anchor="list" title={t('redirects.list')}>
          <RedirectList />
        </Section>
      </div>
    </Wide>
  );
}
