import { routeData } from '#platform/ui/calls/route.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useGoOn, useNext } from '../me.ts';
import { RegisterForm } from '../sign-in/register-form.tsx';
import { welcomePath } from '../welcome.ts';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

export default function RegisterPage() {
  const { t } = useTranslation('accounts');
  const goOn = useGoOn();
  const next = useNext();
  return (
    <Narrow title={t('register.title')} lead={t('register.lead')}>
      <RegisterForm
        type="user"
        next={next}
        onLogin={next === null ? '/login' : `/login?next=${encodeURIComponent(next)}`}
        onDone={() => goOn(welcomePath(next))}
      />
    </Narrow>
  );
}
