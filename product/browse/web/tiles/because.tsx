import type { Translate } from '#platform/ui/text/language.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ListingEntryView } from '../../contract.ts';

type Because = NonNullable<ListingEntryView['because']>[number];

/** The viewer's own choice that put a performer in "for you". */
export const becauseText = ({ kind, value }: Because, t: Translate<'browse'>): string =>
  t(`because.${kind}`, { value: value ?? '' });

/** The weightiest such reason, below a tile of "for you". */
export function BecauseLine({ entry: { because } }: { readonly entry: Pick<ListingEntryView, 'because'> }) {
  const { t } = useTranslation('browse');
  const [first] = because ?? [];
  return first ? <p className="px-1 pt-1 text-xs text-muted">{becauseText(first, t)}</p> : null;
}
