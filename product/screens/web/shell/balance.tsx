import { Plus } from 'lucide-react';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { TokenAmount } from '../../../../platform/ui/text/amounts.tsx';
import { useGetTokens } from './get-tokens-prompt.tsx';

/** The own balance; pressing it opens "Get tokens". */
export function Balance({ tokens }: { tokens: number }) {
  const { t } = useTranslation('screens');
  const open = useGetTokens();
  return (
    <button
      type="button" onClick={open} aria-haspopup="dialog" title={t('tokens.get')}
      className="inline-flex min-h-11 items-center gap-2 rounded-full px-2 text-sm font-bold hover:bg-raised"
    >
      <TokenAmount tokens={tokens} />
      <span className="inline-flex size-6 items-center justify-center rounded-full bg-primary text-on-primary">
        <Plus size={16} aria-hidden />
      </span>
      <span className="sr-only">{t('tokens.get')}</span>
    </button>
  );
}
