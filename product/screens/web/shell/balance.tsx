import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { TokenAmount } from '../../../../platform/ui/text/amounts.tsx';

const GetTokens = lazy(() => import('./get-tokens.tsx'));

/** The own balance; pressing it opens "Get tokens". */
export function Balance({ tokens }: { tokens: number }) {
  const { t } = useTranslation('screens');
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button" onClick={() => setOpen(true)} aria-haspopup="dialog" title={t('tokens.get')}
        className="inline-flex min-h-11 items-center gap-2 rounded-full px-2 text-sm font-bold hover:bg-raised"
      >
        <TokenAmount tokens={tokens} />
        <span className="inline-flex size-6 items-center justify-center rounded-full bg-primary text-on-primary">
          <Plus size={16} aria-hidden />
        </span>
        <span className="sr-only">{t('tokens.get')}</span>
      </button>
      {open ? <Suspense fallback={null}><GetTokens onClose={() => setOpen(false)} /></Suspense> : null}
    </>
  );
}
