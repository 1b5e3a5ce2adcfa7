import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigation } from 'react-router';

/**
 * A line at the top of the window while the next page, or data that a page has not had yet, is loading.
 * It waits a moment, so that fast loads show none.
 */
export default function LoadingBar() {
  const { t } = useTranslation('screens');
  const isNavigating = useNavigation().state === 'loading';
  const reads = useIsFetching({ predicate: ({ state }) => state.data === undefined });
  // The document has none; parts of the page may read data before this component is hydrated.
  const [isTaken, setTaken] = useState(false);
  useEffect(() => setTaken(true), []);
  if (!isTaken || (!isNavigating && reads === 0)) return null;
  return <div role="progressbar" aria-label={t('loading')} className="loading-bar" />;
}
