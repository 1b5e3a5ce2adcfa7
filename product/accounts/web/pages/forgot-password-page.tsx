import { routeData } from '#platform/ui/calls/route.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ForgotForm } from '../sign-in/forgot-form.tsx';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

export default function ForgotPasswordPage() {
  const { t } = useTranslation('accounts');
  return (
    <Narrow title={t('forgot.title')}>
      <ForgotForm onLogin="/login" />
    </Narrow>
  );
}
