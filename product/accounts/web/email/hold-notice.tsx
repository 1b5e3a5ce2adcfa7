import { formatCount } from '../../../../platform/ui/text/amounts.tsx';
import { useTexts, useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { ConfirmButton } from './confirm-button.tsx';

/** Above each page of somebody who has not confirmed their address. @param tokens that wait for it */
export default function HoldNotice({ tokens }: { readonly tokens: number }) {
  const ready = useTexts('accounts');
  const { t, i18n } = useTranslation('accounts');
  if (!ready) return null;
  return (
    <section aria-label={t(tokens > 0 ? 'hold.title' : 'confirm.title')}
      className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-b border-line bg-raised
        px-4 py-2 text-sm">
      <p>
        {tokens > 0 ? t('hold.text', { count: tokens, amount: formatCount(tokens, i18n.language) })
          : t('email.check')}
      </p>
      <ConfirmButton />
    </section>
  );
}
