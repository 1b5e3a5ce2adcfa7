import { routeData } from '#platform/ui/calls/route.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link, useSearchParams } from 'react-router';
import { useGoOn } from '../me.ts';
import { LoginForm } from '../sign-in/login-form.tsx';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

/** For people from another site of the operator: their account works here too. */
export default function PartnerLoginPage() {
  const { t } = useTranslation('accounts');
  const goOn = useGoOn();
  const [query] = useSearchParams();
  const next = query.get('next');
  return (
    <Narrow title={t('partner.title')} lead={t('partner.lead')}>
      <LoginForm
        next={next}
        onForgot="/forgot-password"
        onDone={() => goOn(next)}
      />
      <p className="mt-4 text-center text-sm">
        <Link
          to={`/free-register/connect${next === null ? '' : `?next=${encodeURIComponent(next)}`}`}
          className="inline-flex min-h-11 items-center px-1 font-medium text-link hover:underline"
        >
          {t('partner.join')}
        </Link>
      </p>
    </Narrow>
  );
}
