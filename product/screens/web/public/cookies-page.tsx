import { read, routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { ForgetWatched } from '#product/browse/web/history/forget-watched.tsx';
import { getConsent } from '#product/consent/client.ts';
import { Chooser } from '#product/consent/web/chooser.tsx';
import { StoredTable } from '#product/consent/web/stored-table.tsx';
import { useState } from 'react';

const load = routeData({ texts: ['consent', 'browse'], always: true, reads: () => [read(getConsent, {})] });
export { load as clientLoader, load as loader };
/** Readable before the entry gate: people may see what is stored, and refuse it, before they decide. */
export const handle = { always: true };

/** What the site stores in browsers and why, and the person's choice. */
export default function CookiesPage() {
  const { t } = useTranslation('consent');
  const isMember = useMe() !== null;
  const [saved, setSaved] = useState<'none' | 'saved' | 'withdrawn'>('none');
  return (
    <Wide title={t('title')} lead={t('lead')}>
      <div className="flex max-w-3xl flex-col gap-8">
        <Section anchor="choice" title={t('yourChoice')}>
          <Chooser
            chosenIn="settings"
            onSaved={({ preferences }) => setSaved(preferences ? 'saved' : 'withdrawn')}
          />
          <div role="status" className="mt-3 text-sm">
            {saved === 'none' ? null : t(saved === 'saved' ? 'saved' : 'withdrawn')}
          </div>
          {saved === 'withdrawn' && isMember ? <ForgetWatched /> : null}
        </Section>
        <Section anchor="stored" title={t('stored.title')} lead={t('stored.lead')}>
          <StoredTable />
        </Section>
      </div>
    </Wide>
  );
}
