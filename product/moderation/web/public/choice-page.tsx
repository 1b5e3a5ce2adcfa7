import { describedBy } from '#platform/ui/calls/head.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import { FORMS } from './forms.ts';

const load = routeData({ texts: ['moderation'], always: true });
export { load as clientLoader, load as loader };
/** In front of the entry gate too: who is shown without consent need not look at the site to say so. */
export const handle = {
  always: true,
  ...describedBy((language) => language.translator('moderation')('public.lead')),
};

/** /report: which of the public forms somebody needs. */
export default function ChoicePage() {
  const { t } = useTranslation('moderation');
  return (
    <Narrow title={t('public.title')} lead={t('public.lead')}>
      <ul className="flex flex-col gap-4">
        {FORMS.map(({ kind, path }) => (
          <li key={kind}>
            <Card className="flex flex-col items-start gap-3 p-4">
              <h2 className="font-bold">{t(`public.forms.${kind}.title`)}</h2>
              <p className="text-sm text-muted">{t(`public.forms.${kind}.when`)}</p>
              <ButtonLink to={path}>{t(`public.forms.${kind}.open`)}</ButtonLink>
            </Card>
          </li>
        ))}
      </ul>
      <p className="mt-6 text-sm text-muted">{t('public.inside')}</p>
      <p className="mt-2 text-sm text-muted">{t('public.follow')}</p>
      <p className="mt-2 text-sm">
        <Link to="/support" className="inline-flex min-h-11 items-center text-link underline">
          {t('public.support')}
        </Link>
      </p>
    </Narrow>
  );
}
