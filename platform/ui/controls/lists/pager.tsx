import { useTranslation } from '../../text/use-translation.ts';
import { Button, ButtonLink } from '../button.tsx';

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  /** The address of a page. */
  readonly to: (page: number) => string;
}

/**
 * Links to the previous and next page with the current page between them, for lists whose page is in the
 * address. Nothing when there is only one page.
 */
export function Pager({ page, pages, to }: PagerProps) {
  const { t } = useTranslation('ui');
  if (pages <= 1) return null;
  const step = (target: number, text: string) => {
    if (target < 1 || target > pages) return <Button disabled>{text}</Button>;
    return <ButtonLink to={to(target)}>{text}</ButtonLink>;
  };
  return (
    <nav aria-label={t('pageOf', { page, pages })} className="flex items-center justify-center gap-4 py-6">
      {step(page - 1, t('previous'))}
      <span className="tabular text-sm text-muted">{t('pageOf', { page, pages })}</span>
      {step(page + 1, t('next'))}
    </nav>
  );
}
