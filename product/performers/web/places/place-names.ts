import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CANADIAN_PROVINCES, countriesIn, US_STATES } from '#product/site/rules/places.ts';

/** Names places in the language of the page; a place without a name keeps its code. */
export function usePlaceNames(): (region: string) => string {
  const { i18n } = useTranslation('performers');
  const places = [...US_STATES, ...CANADIAN_PROVINCES, ...countriesIn(i18n.language)];
  return (region) => places.find(({ code }) => code === region)?.name ?? region;
}
