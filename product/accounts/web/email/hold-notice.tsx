import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { formatCount } from '../../../../platform/ui/text/amounts.tsx';
import { useTexts, useTranslation } from '../../../../platform/ui/text/use-translation.ts';

const EmailDialog = lazy(() => import('./email-dialog.tsx'));

/** Above each page of somebody whose free tokens wait for a confirmed address. */
export default function HoldNotice({ tokens }: { readonly tokens: number }) {
  const ready = useTexts('accounts');
  const { t, i18n } = useTranslation('accounts');
  const [asking, setAsking] = useState(false);
  if (!ready) return null;
  return (
    <section aria-label={t('hold.title')}
      className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-b border-line bg-raised
        px-4 py-2 text-sm">
      <p>{t('hold.text', { count: tokens, amount: formatCount(tokens, i18n.language) })}</p>
      <Button aria-haspopup="dialog" onClick={() => setAsking(true)}>{t('email.confirm')}</Button>
      {asking ? <Suspense><EmailDialog onClose={() => setAsking(false)} /></Suspense> : null}
    </section>
  );
}
