import { routeData } from '#platform/ui/calls/route.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useGoOn, useNext } from '../me.ts';
import { LoginForm } from '../sign-in/login-form.tsx';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

export default function LoginPage() {
  const { t } = useTranslation('accounts');
  const goOn = useGoOn();
  const next = useNext();
  return (
    <Narrow title={t('login.title')}>
      <LoginForm
        next={next}
        onRegister={next === null ? '/register' : `/register?next=${encodeURIComponent(next)}`}
        onForgot="/forgot-password"
        onDone={() => goOn(next)}
      />
    </Narrow>
  );
}
