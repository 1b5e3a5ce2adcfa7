import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { ConfirmButton } from './confirm-button.tsx';

/** A notice on each page until the address is confirmed. @param tokens that wait for it */
export default function HoldNotice({ tokens }: { readonly tokens: number }) {
  const ready = useTexts('accounts');
  const { t, i18n } = useTranslation('accounts');
  if (!ready) return null;
  return (
    <section
      aria-label={t(tokens > 0 ? 'hold.title' : 'confirm.title')}
      // One row on phones too, because its height is lost to the room below.
      className="flex items-center justify-center gap-x-4 border-b border-line bg-raised px-4 py-1 text-sm
        *:last:shrink-0 max-sm:justify-between sm:py-2"
    >
      <p className="min-w-0">
        {tokens > 0
          ? t('hold.text', { count: tokens, amount: formatCount(tokens, i18n.language) })
          : t('email.check')}
      </p>
      <ConfirmButton />
    </section>
  );
}
